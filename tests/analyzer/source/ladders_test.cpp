// Kernels in the order in which people improve them: the rules speak of a step exactly as long as its fault
// is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "analyzer/core/file.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

namespace fs = std::filesystem;

using Marks = std::set<std::pair<int, std::string>>;  // line, rule

Marks marksIn(const std::string& text) {
  Marks out;
  std::istringstream lines(text);
  std::string line;
  const std::string mark = "// <- ";
  for (int number = 1; std::getline(lines, line); ++number)
    if (auto at = line.find(mark); at != std::string::npos)
      out.insert({number, line.substr(at + mark.size())});
  return out;
}

std::string words(const Marks& marks) {
  std::string out;
  for (auto& [line, rule] : marks) out += "\n  " + std::to_string(line) + " " + rule;
  return out;
}

class Ladders : public testing::TestWithParam<const char*> {};

TEST_P(Ladders, AreFoundStepByStep) {
  fs::path path = fs::path(KADVISE_SOURCE_DIR) / "tests/analyzer/source/ladders" / GetParam();
  std::string text = readFile(path.string());
  auto r = linted(text, {"cuda/uncoalesced-access", "cuda/bank-conflict"});
  ASSERT_TRUE(r.parsed.errors.empty()) << r.parsed.errors[0].line << ": " << r.parsed.errors[0].message;
  Marks found;
  for (auto& f : r.findings) {
    found.insert({f.where.line, f.rule});
    for (auto& l : f.related)
      if (l.note == "and here") found.insert({l.line, f.rule});
    ASSERT_TRUE(f.price) << f.message;
    EXPECT_GE(f.price->value, 4) << f.message;
    EXPECT_FALSE(f.price->words.empty() || f.price->unit.empty() || f.price->basis.empty());
  }
  EXPECT_EQ(words(found), words(marksIn(text)));
}

INSTANTIATE_TEST_SUITE_P(Files, Ladders,
                         testing::Values("product.cu", "reduction.cu", "rows.cu", "transpose.cu"),
                         [](auto& file) { return fs::path(file.param).stem().string(); });

}  // namespace
}  // namespace kadvise::source
