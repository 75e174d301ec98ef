// Which candidates are applied, and which rules are asked.
#include "analyzer/selection.h"

#include <gtest/gtest.h>

#include "analyzer/core/error.h"
#include "analyzer/rule_selection.h"
#include "analyzer/vouching.h"

namespace kadvise {
namespace {

Candidate candidate(const std::string& id, std::vector<std::string> findings, int level = 1) {
  Candidate c;
  c.id = id;
  c.level = level;
  c.findings = std::move(findings);
  return c;
}

Verdict verdict(const std::string& id, Outcome outcome, double speedup = 1, double wallUs = 100) {
  Verdict v;
  v.candidate = id;
  v.outcome = outcome;
  v.speedup = {speedup, speedup, speedup};
  v.before.timings = {{"warm", {wallUs}, {}, false}};
  return v;
}

std::vector<std::string> kept(const std::vector<Candidate>& c, const std::vector<Verdict>& v,
                              Keep keep = Keep::NotSlower) {
  return select(c, v, keep).kept;
}

using Ids = std::vector<std::string>;

TEST(Selection, KeepsWhatTheModeAllows) {
  std::vector<Candidate> c = {candidate("F", {"1"}), candidate("S", {"2"}), candidate("A", {"3"}),
                              candidate("L", {"4"}), candidate("W", {"5"}), candidate("X", {"6"}),
                              candidate("N", {"7"})};
  std::vector<Verdict> v = {verdict("F", Outcome::Faster, 2),   verdict("S", Outcome::Same),
                            verdict("A", Outcome::Ambiguous),   verdict("L", Outcome::Slower, .5),
                            verdict("W", Outcome::WrongOutput), verdict("X", Outcome::Failed),
                            verdict("N", Outcome::NotRun)};
  EXPECT_EQ(kept(c, v, Keep::Faster), (Ids{"F"}));
  EXPECT_EQ(kept(c, v, Keep::NotSlower), (Ids{"F", "S", "A"}));
  EXPECT_EQ(kept(c, v, Keep::Equal), (Ids{"F", "S", "A", "L"}));
  EXPECT_EQ(select(c, v, Keep::NotSlower).dropped.size(), 4u) << "each with its reason";
}

TEST(Selection, KeepsWhatOthersSpeakForAndTheWholeIsComparedWith) {
  std::vector<Candidate> c = {candidate("P", {"1"})};
  std::vector<Verdict> v = {verdict("P", Outcome::NotRun)};
  v[0].reason = kPartOfWhole;
  EXPECT_EQ(kept(c, v, Keep::NotSlower), (Ids{"P"}));
  EXPECT_EQ(kept(c, v, Keep::Equal), (Ids{"P"}));
  EXPECT_TRUE(kept(c, v, Keep::Faster).empty());
}

TEST(Selection, TakesTheBestOfSeveralReplacements) {
  std::vector<Candidate> c = {candidate("A", {"1"}), candidate("B", {"1"})};
  std::vector<Verdict> v = {verdict("A", Outcome::Faster, 1.2), verdict("B", Outcome::Faster, 1.9)};
  auto s = select(c, v, Keep::NotSlower);
  EXPECT_EQ(s.kept, (Ids{"B"}));
  ASSERT_EQ(s.dropped.size(), 1u);
  EXPECT_EQ(s.dropped[0].candidate, "A");
  EXPECT_EQ(s.dropped[0].reason, "another replacement of the same place saves more (B)");
}

TEST(Selection, PrefersTheLowerLevelAtEqualGain) {
  std::vector<Candidate> c = {candidate("A", {"1"}, 5), candidate("B", {"1"}, 1)};
  std::vector<Verdict> v = {verdict("A", Outcome::Faster, 1.5), verdict("B", Outcome::Faster, 1.5)};
  EXPECT_EQ(kept(c, v), (Ids{"B"}));
}

TEST(Selection, CountsEverySite) {
  std::vector<Candidate> c = {candidate("one", {"1"}), candidate("twelve", {"1", "2", "3"})};
  std::vector<Verdict> v = {verdict("one", Outcome::Faster, 2), verdict("twelve", Outcome::Faster, 1.5)};
  EXPECT_EQ(kept(c, v), (Ids{"twelve"})) << "3 x 33 us against 50 us";
}

// A batch norm folded at many places saves more in all than the sum of convolutions in which it stands at
// one.
TEST(Selection, PutsWhatTakesInOthersFirst) {
  std::vector<Candidate> c = {candidate("norms", {"1", "2", "3"}), candidate("sum", {"4"})};
  c[0].rule = "fusion/conv-batch-norm";
  c[1].rule = "fusion/parallel-convolutions";
  std::vector<Verdict> v = {verdict("norms", Outcome::Faster, 2), verdict("sum", Outcome::Faster, 1.5)};
  EXPECT_EQ(kept(c, v), (Ids{"sum", "norms"}));
}

TEST(Selection, KeepsTheOrderOfEqualFigures) {
  std::vector<Candidate> c = {candidate("b", {"1"}), candidate("a", {"2"})};
  std::vector<Verdict> v = {verdict("b", Outcome::Same), verdict("a", Outcome::Same)};
  EXPECT_EQ(kept(c, v), (Ids{"b", "a"}));
}

// C3 has no verdict yet.
template <class Question>
bool asked(Question question, const std::vector<Outcome>& ofOthers, const std::string& titleOfOthers) {
  std::vector<Candidate> all = {candidate("C3", {"3"})};
  std::vector<Verdict> verdicts;
  all[0].title = "fold";
  for (auto outcome : ofOthers) {
    all.push_back(candidate("O" + std::to_string(all.size()), {}));
    all.back().title = titleOfOthers;
    verdicts.push_back(verdict(all.back().id, outcome));
  }
  return question(all[0], all, verdicts);
}
bool isVouchedFor(const std::vector<Outcome>& ofOthers, const std::string& titleOfOthers = "fold") {
  return asked(kadvise::isVouchedFor, ofOthers, titleOfOthers);
}
bool isSpokenAgainst(const std::vector<Outcome>& ofOthers, const std::string& titleOfOthers = "fold") {
  return asked(kadvise::isSpokenAgainst, ofOthers, titleOfOthers);
}

TEST(Vouching, OthersOfTheRuleSpeakForOne) {
  using enum Outcome;
  EXPECT_TRUE(isVouchedFor({Faster, Faster}));
  EXPECT_TRUE(isVouchedFor({Faster, Ambiguous, Faster, NotRun}));
  EXPECT_FALSE(isVouchedFor({}));
  EXPECT_FALSE(isVouchedFor({Ambiguous}));
  EXPECT_FALSE(isVouchedFor({Faster, Faster, Ambiguous, Same}));
  EXPECT_FALSE(isVouchedFor({Faster, Faster, Faster, Slower}));
  EXPECT_FALSE(isVouchedFor({Faster, Faster, WrongOutput}));
  EXPECT_FALSE(isVouchedFor({Faster, Faster}, "another replacement"));
}

TEST(Vouching, OthersOfTheRuleSpeakAgainstOne) {
  using enum Outcome;
  EXPECT_TRUE(isSpokenAgainst({WrongOutput, Slower, Failed}));
  EXPECT_TRUE(isSpokenAgainst({WrongOutput, Faster, WrongOutput, Faster, Slower}));
  EXPECT_FALSE(isSpokenAgainst({}));
  EXPECT_FALSE(isSpokenAgainst({WrongOutput, WrongOutput})) << "too few";
  EXPECT_FALSE(isSpokenAgainst({Slower, Slower, Slower, Faster, Faster, Faster}));
  EXPECT_FALSE(isSpokenAgainst({NotRun, Ambiguous, Same, Same}));
  EXPECT_FALSE(isSpokenAgainst({Slower, Slower, Slower}, "another replacement"));
}

Catalogue book() {
  Catalogue out;
  for (const char* id : {"fusion/a", "fusion/b", "fusions/c", "memory/a"}) out.pages.emplace_back().id = id;
  return out;
}

std::vector<std::string> selected(const std::vector<std::string>& select,
                                  const std::vector<std::string>& ignore) {
  auto pages = book();
  std::vector<std::string> out;
  for (auto* p : selectRules(pages, select, ignore)) out.push_back(p->id);
  return out;
}

TEST(RuleSelection, TakesIdsAndCategories) {
  EXPECT_EQ(selected({}, {}).size(), 4u);
  EXPECT_EQ(selected({"fusion"}, {}), (Ids{"fusion/a", "fusion/b"})) << "and not fusions/c";
  EXPECT_EQ(selected({"fusion/b", "memory"}, {}), (Ids{"fusion/b", "memory/a"}));
  EXPECT_EQ(selected({"fusion"}, {"fusion/a"}), (Ids{"fusion/b"}));
  EXPECT_EQ(selected({}, {"fusion", "fusions"}), (Ids{"memory/a"}));
}

TEST(RuleSelection, RefusesWhatNamesNoRule) {
  EXPECT_THROW(selected({"fusion/z"}, {}), Error);
  EXPECT_THROW(selected({}, {"fus"}), Error);
}

}  // namespace
}  // namespace kadvise
