// Candidates that crash, hang, fault the GPU or use up the memory: each costs its own verdict, which says
// what happened, and the next candidate is measured as if nothing had been. Over the real kadvise-measure.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "analyzer/comparison.h"
#include "tests/profiler/modules.h"

namespace kadvise {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPatienceSeconds = 300;  // on a busy machine
constexpr double kHangSeconds = 3;
constexpr std::size_t kGiB = std::size_t{1} << 30;

struct Fault {
  const char* op;
  const char* says;  // in the reason; "": harmless
  bool hangs = false;
};
// What gtest prints of a case that failed.
void PrintTo(const Fault& f, std::ostream* out) { *out << f.op; }

const Fault kOnHost[] = {
    {"segfault", "was killed by SIGSEGV while checking"},
    {"aborts", "was killed by SIGABRT while checking"},
    {"throws", "the candidate fails: the operator's own words"},
    {"throws_number", "was killed by SIGABRT while checking"},
    {"loops", "was stopped at its limit of 3.0 s (--time-limit) while checking", true},
    {"hogs", "of memory (--memory-limit) while checking"},
    {"asks_for_too_much", "the candidate fails: "},
    {"overflows_stack", "was killed by SIGSEGV while checking"},
    {"exits", "ended with exit code 0 while checking"},
    {"forks", ""},
    {"prints", ""},
    {"closes_descriptors", " while checking"},
};
const Fault kOnDevice[] = {
    {"loops_on_device", "was stopped at its limit of 3.0 s (--time-limit) while checking", true},
    {"illegal_address", "illegal memory access"},
    {"misaligned_address", "misaligned address"},
    {"device_assert", "device-side assert"},
    {"hogs_device", "out of memory"},
};

void loadFaults() {
  static void* library = ::dlopen(KADVISE_FAULTS, RTLD_NOW | RTLD_GLOBAL);
  ASSERT_TRUE(library) << ::dlerror();
}

class Faults : public testing::Test {
 protected:
  explicit Faults(const std::string& device)
      : session_(Program(std::filesystem::path(KADVISE_BIN_DIR) / "kadvise-measure"), folder_.path / "log",
                 {kPatienceSeconds, device == "cpu" ? 2 * kGiB : 8 * kGiB}, openArguments(device)) {
    loadFaults();
    save("good", "x * 2");
    save("same", "x + x");
  }

  Json openArguments(const std::string& device) const {
    return {{"path", ""},       {"workDir", folder_.path.string()}, {"opLibraries", {KADVISE_FAULTS}},
            {"device", device}, {"inputs", Json::array()},          {"inputsFile", ""},
            {"seed", 0}};
  }

  void save(const std::string& name, const std::string& result) {
    torch::jit::Module m(c10::QualifiedName("__torch__.Faults_" + name));
    m.define("def forward(self, x):\n  return " + result + "\n", std::make_shared<OperatorNames>("faults"));
    m.eval();
    m.save((folder_.path / (name + ".pt")).string());
  }

  Compared compare(const std::string& name, bool isTimed, const WaitHooks& hooks = {},
                   double limitSeconds = kPatienceSeconds) {
    Json arguments = {{"before", {{"path", "good.pt"}}},
                      {"after", {{"path", name + ".pt"}}},
                      {"reference", {{"path", "none"}}},
                      {"inputs", ""},
                      {"specs", {"float32[8,16]"}},
                      {"timing", isTimed},
                      {"budgetSeconds", 1}};
    EngineLimits limits = session_.limits();
    limits.seconds = limitSeconds;
    return compareIn(session_, name, "checking " + name, arguments, nullptr, hooks, limits);
  }

  void expectTheNextIsMeasured() {
    Compared next = compare("same", /*isTimed=*/true);
    EXPECT_FALSE(next.death) << next.verdict.reason;
    EXPECT_EQ(next.verdict.accuracy.grade, "bitwise") << next.verdict.reason;
    EXPECT_FALSE(next.verdict.before.timings.empty()) << next.verdict.reason;
  }

  void expectFault(const Fault& fault) {
    save(fault.op, std::string("faults.") + fault.op + "(x)");
    EXPECT_FALSE(compare("same", /*isTimed=*/false).death);  // what follows has a process to fail in
    Compared c = compare(fault.op, /*isTimed=*/false, {}, fault.hangs ? kHangSeconds : kPatienceSeconds);
    if (*fault.says) {
      EXPECT_EQ(c.verdict.outcome, Outcome::Failed) << c.verdict.reason;
      EXPECT_NE(c.verdict.reason.find(fault.says), std::string::npos) << c.verdict.reason;
    } else {
      EXPECT_EQ(c.verdict.accuracy.grade, "bitwise") << c.verdict.reason;
    }
    expectTheNextIsMeasured();
  }

  TemporaryFolder folder_;
  MeasureSession session_;
};

class OnCpu : public Faults, public testing::WithParamInterface<Fault> {
 protected:
  OnCpu() : Faults("cpu") {}
};
class OnCuda : public Faults, public testing::WithParamInterface<Fault> {
 protected:
  OnCuda() : Faults("cuda") {}
};

TEST_P(OnCpu, CostsItsOwnVerdictOnly) { expectFault(GetParam()); }
TEST_P(OnCuda, CostsItsOwnVerdictOnly) { expectFault(GetParam()); }

std::string nameOf(const testing::TestParamInfo<Fault>& info) { return info.param.op; }
INSTANTIATE_TEST_SUITE_P(Host, OnCpu, testing::ValuesIn(kOnHost), nameOf);
INSTANTIATE_TEST_SUITE_P(Host, OnCuda, testing::ValuesIn(kOnHost), nameOf);
INSTANTIATE_TEST_SUITE_P(Device, OnCuda, testing::ValuesIn(kOnDevice), nameOf);

// As by a user, or by the kernel when memory runs out: while it loads, compares or measures.
class Killed : public Faults {
 protected:
  explicit Killed(const std::string& device = "cpu") : Faults(device) { save("waits", "faults.waits(x)"); }

  void killAt(double seconds) {
    std::size_t mended = session_.mended().size();
    auto begin = Clock::now();
    bool isKilled = false;
    WaitHooks hooks;
    hooks.tick = [&] {
      double waited = std::chrono::duration<double>(Clock::now() - begin).count();
      if (isKilled || waited < seconds || !session_.engine() || session_.engine()->pid() <= 0) return;
      isKilled = ::kill(session_.engine()->pid(), SIGKILL) == 0;
    };
    Compared c = compare("waits", /*isTimed=*/true, hooks);
    ASSERT_TRUE(isKilled);
    if (session_.mended().size() > mended) {
      EXPECT_EQ(c.verdict.accuracy.grade, "bitwise") << c.verdict.reason;  // it was loading, and did so again
    } else {
      EXPECT_EQ(c.verdict.outcome, Outcome::Failed);
      EXPECT_NE(c.verdict.reason.find("was killed by SIGKILL while checking waits"), std::string::npos)
          << c.verdict.reason;
    }
  }
};
class KilledOnCuda : public Killed {
 protected:
  KilledOnCuda() : Killed("cuda") {}
};

constexpr int kKills = 10;
constexpr double kLatestSeconds = 1.5;  // the comparison takes longer

TEST_F(Killed, AtAnyMomentItCostsOneVerdict) {
  std::mt19937_64 random(20);
  for (int i = 0; i < kKills; ++i) {
    killAt(kLatestSeconds * static_cast<double>(random() % 1000) / 1000);
    expectTheNextIsMeasured();
  }
}
TEST_F(KilledOnCuda, AtAnyMomentItCostsOneVerdict) {
  std::mt19937_64 random(21);
  for (int i = 0; i < kKills; ++i) {
    killAt(kLatestSeconds * static_cast<double>(random() % 1000) / 1000);
    expectTheNextIsMeasured();
  }
}

}  // namespace
}  // namespace kadvise
