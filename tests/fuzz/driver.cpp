#include "tests/fuzz/driver.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string_view>

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include "analyzer/core/operator_library.h"

namespace kadvise::fuzz {
namespace {

constexpr std::uint64_t kCasesOfAChild = 200;  // then memory that LibTorch never gives back is given back
constexpr time_t kCaseLimitSeconds = 5;
constexpr std::size_t kMemoryLimitBytes = std::size_t{2} << 30;
constexpr std::size_t kKinds = 512;
constexpr std::uint32_t kPrintedOfAKind = 3;

struct Options {
  std::uint64_t seed = 1, cases = 0, seconds = 0;
  bool onlyOne = false;
  std::uint64_t only = 0;
};

// What children tell their parent, in memory that both see.
struct Shared {
  std::uint64_t current = 0, passed = 0, refused = 0, skipped = 0, findings = 0;
  bool ownRun = false;
  std::size_t kinds = 0;
  std::size_t hashes[kKinds] = {};
  std::uint32_t counts[kKinds] = {};
};

Shared* shared = nullptr;  // of this process and its children

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view name = argv[i];
    auto value = std::strtoull(argv[i + 1], nullptr, 10);
    if (name == "--seed") o.seed = value;
    else if (name == "--cases") o.cases = value;
    else if (name == "--seconds") o.seconds = value;
    else if (name == "--only") o.only = value, o.onlyOne = true;
    else std::exit((std::cerr << "unknown option " << name << "\n", 2));
  }
  if (o.cases == 0 && o.seconds == 0) o.cases = 1000;
  return o;
}

Random randomFor(const Options& o, std::uint64_t index) { return Random(o.seed * 1000003 + index); }

std::uint32_t countOf(Shared& shared, const std::string& kind) {
  auto hash = std::hash<std::string>()(kind);
  for (std::size_t i = 0; i < shared.kinds; ++i)
    if (shared.hashes[i] == hash) return ++shared.counts[i];
  if (shared.kinds < kKinds) shared.hashes[shared.kinds] = hash, shared.counts[shared.kinds++] = 1;
  return 1;
}

void report(Shared& shared, const Options& o, std::uint64_t index, const Finding& f,
            const std::string& text) {
  ++shared.findings;
  if (countOf(shared, f.kind) > kPrintedOfAKind) return;
  std::cout << "FINDING " << f.kind << "\n  replay: --seed " << o.seed << " --only " << index << "\n"
            << f.what << "\n---- text\n"
            << text << "\n----" << std::endl;
}

void runCase(const Fuzzer& fuzzer, const Options& o, std::uint64_t index, Shared& shared) {
  Random random = randomFor(o, index);
  std::string text = fuzzer.make(random);
  try {
    switch (fuzzer.test(text, random)) {
      case Result::Passed:
        ++shared.passed;
        break;
      case Result::Refused:
        ++shared.refused;
        break;
      case Result::Skipped:
        ++shared.skipped;
        break;
    }
  } catch (const Finding& f) {
    report(shared, o, index, f, text);
  } catch (const std::exception& e) {
    std::string what = e.what();
    report(shared, o, index,
           {"an exception that is no kadvise::Error: " +
                what.substr(0, std::min<std::size_t>(what.find('\n'), 80)),
            what},
           text);
  }
}

// Of the processor: another program's work is no hang of ours.
void limitTime() {
  itimerval limit{{0, 0}, {kCaseLimitSeconds, 0}};
  setitimer(ITIMER_PROF, &limit, nullptr);
}

void limitMemory() {
#ifndef __SANITIZE_ADDRESS__  // whose shadow is terabytes of address space
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlim_t limit = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + kMemoryLimitBytes;
  rlimit both{limit, limit};
  setrlimit(RLIMIT_AS, &both);
#endif
}

void runChild(const Fuzzer& fuzzer, const Options& o, std::uint64_t from, std::uint64_t to, Shared& shared) {
  limitMemory();
  for (std::uint64_t i = from; i < to; ++i) {
    shared.current = i;
    limitTime();
    runCase(fuzzer, o, i, shared);
  }
  std::cout.flush();
  _exit(0);
}

// Runs [from, to) in a child; returns the case after the last one that was run.
std::uint64_t runBatch(const Fuzzer& fuzzer, const Options& o, std::uint64_t from, std::uint64_t to,
                       Shared& shared) {
  std::cout.flush();
  pid_t child = fork();
  if (child == 0) runChild(fuzzer, o, from, to, shared);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return to;
  if (shared.ownRun) {
    shared.ownRun = false;
    ++shared.skipped;
    return shared.current + 1;
  }
  Random random = randomFor(o, shared.current);
  bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF;
  std::string end =
      WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit " + std::to_string(WEXITSTATUS(status));
  report(shared, o, shared.current, {hung ? "hangs" : "crashes", "  the process ended: " + end},
         fuzzer.make(random));
  return shared.current + 1;
}

}  // namespace

OwnRun::OwnRun() { shared->ownRun = true; }
OwnRun::~OwnRun() { shared->ownRun = false; }

void prepareLibTorch() {
  struct Silence : c10::WarningHandler {
    void process(const c10::Warning&) override {}
  };
  static Silence silence;
  c10::WarningUtils::set_warning_handler(&silence);
  at::set_num_threads(1);
  loadOperatorLibrary(KADVISE_BIN_DIR "/../lib/libkadvise_kernels.so");
}

int runFuzzer(int argc, char** argv, const Fuzzer& fuzzer) {
  Options o = parse(argc, argv);
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared = new (memory) Shared();
  auto start = std::chrono::steady_clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (o.onlyOne) {
    Random random = randomFor(o, o.only);
    std::cout << fuzzer.make(random) << std::endl;
  }
  std::uint64_t next = o.onlyOne ? o.only : 0, end = o.onlyOne ? o.only + 1
                                                     : o.cases ? o.cases
                                                               : ~std::uint64_t{0};
  while (next < end && (o.seconds == 0 || seconds() < static_cast<double>(o.seconds)))
    next = runBatch(fuzzer, o, next, std::min(end, next + kCasesOfAChild), *shared);
  std::cout << "seed " << o.seed << ": " << next - (o.onlyOne ? o.only : 0) << " cases in "
            << static_cast<int>(seconds()) << " s, " << shared->passed << " passed, " << shared->refused
            << " refused with a reason, " << shared->skipped << " skipped, " << shared->findings
            << " findings of " << shared->kinds << " kinds" << std::endl;
  return shared->findings ? 1 : 0;
}

}  // namespace kadvise::fuzz
