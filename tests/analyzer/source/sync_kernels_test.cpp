// Barriers and races over the labelled kernels of sync/: each stands behind a line "// right: …" or "//
// wrong: …".
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "analyzer/core/file.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

const std::vector<std::string> kRules = {
    "cuda/active-mask",          "cuda/barrier-divergent",       "cuda/full-mask-in-branch",
    "cuda/missing-barrier",      "cuda/missing-barrier-in-loop", "cuda/implicit-warp-synchronisation",
    "cuda/same-element-written", "cuda/legacy-warp-primitive",   "cuda/partial-warp",
    "cuda/return-before-barrier"};

struct Labelled {
  std::string kernel, what;
  bool isWrong = false;
};

std::vector<Labelled> labelledIn(const std::string& text) {
  std::vector<Labelled> out;
  std::istringstream lines(text);
  std::optional<Labelled> open;
  const std::regex label("// (right|wrong): (.*)"), kernel(".*__global__ void (\\w+)\\(.*");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, label)) open = Labelled{"", found[2], found[1] == "wrong"};
    if (!open || !std::regex_match(line, found, kernel)) continue;
    open->kernel = found[1];
    out.push_back(*open);
    open.reset();
  }
  return out;
}

struct Count {
  int right = 0, wrong = 0, found = 0;
};

void judge(const std::string& path, Count& count) {
  std::string text = readFile(path);
  auto r = linted(text, kRules, path);
  EXPECT_TRUE(r.parsed.errors.empty()) << path << ": " << r.parsed.errors[0].message;
  std::set<std::string> reported;
  for (auto& f : r.findings) reported.insert(f.where.scope);
  for (auto& k : labelledIn(text)) {
    bool isReported = reported.count(k.kernel) > 0;
    ++(k.isWrong ? count.wrong : count.right);
    count.found += k.isWrong && isReported;
    EXPECT_FALSE(!k.isWrong && isReported) << k.kernel << " is right: " << k.what;
    if (k.isWrong && !isReported) GTEST_LOG_(INFO) << "not found: " << k.kernel << " (" << k.what << ")";
  }
}

TEST(SyncKernels, NoneThatIsRightIsReportedAndNineOfTenThatAreWrongAre) {
  Count count;
  std::vector<std::string> files;
  for (auto& entry : std::filesystem::directory_iterator(KADVISE_SOURCE_DIR "/tests/analyzer/source/sync"))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  for (auto& f : files) judge(f, count);
  EXPECT_GE(count.right, 30);
  EXPECT_GE(count.wrong, 30);
  EXPECT_GE(10 * count.found, 9 * count.wrong) << count.found << " of " << count.wrong;
  RecordProperty("found", count.found);
}

}  // namespace
}  // namespace kadvise::source
