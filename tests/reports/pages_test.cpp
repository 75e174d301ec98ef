// The pages of the commands that do not advise: profile, levels, bench, doctor.
#include <gtest/gtest.h>

#include "analyzer/core/profile_words.h"
#include "reports/text.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

constexpr TextStyle kPlain{100, false, false};

std::string pageOf(void (*fill)(Report&), const TextStyle& style = kPlain) {
  Report r = sampleReport();
  fill(r);
  return renderText(r, style);
}

// However the lines are wrapped.
std::string unwrapped(const std::string& page) {
  std::string out;
  for (char c : page)
    if (c != '\n') out += c;
    else if (!out.ends_with(' ')) out += ' ';
  for (auto at = out.find("  "); at != std::string::npos; at = out.find("  ")) out.erase(at, 1);
  return out;
}

void expectWords(const std::string& page, std::initializer_list<const char*> words) {
  for (const char* w : words)
    EXPECT_NE(unwrapped(page).find(unwrapped(w)), std::string::npos) << w << "\n" << page;
}

TEST(ProfilePage, SaysWhereTheTimeGoesInEachWayOfRunning) {
  auto page = pageOf([](Report& r) { r.profile = sampleProfile(); });
  expectWords(page, {"as loaded: 100 µs a call", "replay of a CUDA graph: 60 µs a call",
                     "captured in 4.00 ms", "by kernel", "by operator", "by module", "by line",
                     "aten::linear", "model.py:7", "25.0% launch-bound", "records cost +3.1%",
                     "99.0% of the kernel time belongs to a known operator and module"});
}

TEST(ProfilePage, EqualLayersStandTogetherUnlessAllIsAskedFor) {
  auto fill = [](Report& r) { r.profile = sampleProfile(); };
  expectWords(pageOf(fill), {"encoder.layer.*.dense", "the module itself"});
  expectWords(pageOf(fill, {100, false, true}), {"encoder.layer.0.dense", "encoder.layer.1.dense"});
}

TEST(ProfilePage, NamesWhatIsMissingWithReasonAndRemedy) {
  auto page = pageOf([](Report& r) { r.profile = sampleProfile(); });
  expectWords(page, {"Not given here", "the replay of a CUDA graph: the capture failed",
                     "to get it: look under Readiness", "note: a note on the profile",
                     "memory-bound: DRAM moves 88 %", "peak 1 MiB", "first call 812 ms"});
}

// A module that replays CUDA graphs of its own.
TEST(ProfilePage, SaysOnceWhyNoOperatorIsKnownAndWhereToLook) {
  auto page = pageOf([](Report& r) {
    r.profile = sampleProfile();
    auto& v = r.profile->views[0];
    v.attribution->toOperator = v.attribution->toModule = v.attribution->toLine = 0;
    v.operators = v.modules = v.lines = {{kUnknownPlace, {}, 12, 50, 1}};
    r.profile->views[1].modules = v.modules;
    r.profile->views[1].attribution->toModule = 0;
    r.profile->absent = {{kTimeByPlace, "the module replays CUDA graphs", "look at the other file"}};
  });
  expectWords(page, {"0.0% of the kernel time belongs to a known operator and module, 0.0% to a line of the "
                     "source: the module replays CUDA graphs. look at the other file",
                     "100.0% of the kernel time belongs to a known operator, 0.0% to a known module"});
  EXPECT_EQ(page.find(kUnknownPlace), std::string::npos) << page;
  EXPECT_EQ(page.find("Not given here"), std::string::npos) << page;
}

TEST(ProfilePage, NoLineIsWiderThanTheTerminal) {
  auto page = pageOf([](Report& r) {
    r.profile = sampleProfile();
    for (auto& v : r.profile->views) v.kernels[0].name = "void " + std::string(400, 'x');
  });
  for (std::size_t at = 0; at < page.size();) {
    auto end = std::min(page.find('\n', at), page.size());
    std::size_t columns = 0;
    for (auto c : page.substr(at, end - at)) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    EXPECT_LE(columns, 100u) << page.substr(at, end - at);
    at = end + 1;
  }
}

TEST(LevelsPage, HasARowForEachLevelEvenWhereItCannotBeHad) {
  auto page = pageOf([](Report& r) { r.levels = sampleLevels(); });
  expectWords(page, {"as loaded", "frozen TorchScript", "1.50x", "equal (within-bound)",
                     "a CUDA graph needs a GPU", "a note on the level"});
}

TEST(BenchPage, ShowsTheShareOfACopyAndWhatWasRefused) {
  auto page = pageOf([](Report& r) {
    r.bench = Bench{
        "aten::softmax",
        1 << 28,
        4e12,
        {{"float32[4,4]", "", {1, 2, 3}, 128, 6e7, 0.5, ""}, {"float32[8]", "", {}, 0, 0, 0, "no such dim"}},
        {}};
  });
  expectWords(page,
              {"4e+03 GB/s", "50.0 % of a copy", "float32[4,4]", "not measured: float32[8]: no such dim"});
}

TEST(DoctorPage, SaysWhatIsThereWhatIsLostAndHowToGetIt) {
  auto page = pageOf([](Report& r) {
    r.health = {{"LibTorch", "ok", "2.11.0", ""},
                {"driver", "lost", "none is loaded", "install one"},
                {"rule pages", "problem", "none", "install"}};
  });
  expectWords(page, {"ok        LibTorch: 2.11.0", "not here  driver: none is loaded",
                     "to get it: install one", "PROBLEM   rule pages"});
}

}  // namespace
}  // namespace kadvise
