// Which replacements stay where all together are not within the bounds of the whole.
#include "analyzer/largest_equal_set.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/selection.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

struct Asked {
  std::vector<Candidate> candidates;
  std::vector<Verdict> verdicts;
  int trials = 0;

  Ids all() const {
    Ids out;
    for (auto& c : candidates) out.push_back(c.id);
    return out;
  }
  // isWithin: of a set. most: trials that there is time for.
  template <class IsWithin>
  LargestSet largest(IsWithin isWithin, int most = 1000) {
    SetTrial trial{[&](const Ids& set) {
                     ++trials;
                     return isWithin(set) ? "" : "too far off";
                   },
                   [&](bool) { return trials < most; }};
    return largestEqualSet(all(), "too far off", candidates, verdicts, trial);
  }
};

Asked numbered(int count) {
  Asked out;
  for (int i = 0; i < count; ++i) {
    Candidate c;
    c.id = "C" + std::to_string(i);
    out.candidates.push_back(c);
    Verdict v;
    v.candidate = c.id;
    v.outcome = Outcome::Same;
    v.accuracy.grade = "within-bound";
    v.accuracy.rmsUlp = 1;
    out.verdicts.push_back(v);
  }
  return out;
}

bool has(const Ids& set, const std::string& id) { return std::find(set.begin(), set.end(), id) != set.end(); }

TEST(LargestEqualSet, LeavesOutTheOneThatLeavesTheBounds) {
  for (int culprit = 0; culprit < 32; ++culprit) {
    Asked a = numbered(32);
    std::string id = "C" + std::to_string(culprit);
    auto found = a.largest([&](auto& set) { return !has(set, id); });
    EXPECT_EQ(found.set.size(), 31u);
    EXPECT_FALSE(has(found.set, id));
    ASSERT_EQ(found.left.size(), 1u);
    EXPECT_EQ(found.left[0].candidate, id);
    EXPECT_LE(a.trials, 10) << "two for each halving";
  }
}

TEST(LargestEqualSet, KeepsAsManyAsTheWholeBears) {
  for (std::size_t most = 0; most < 20; ++most) {
    auto found = numbered(20).largest([&](auto& set) { return set.size() <= most; });
    EXPECT_EQ(found.set.size(), most);
    EXPECT_EQ(found.left.size(), 20 - most);
  }
}

TEST(LargestEqualSet, KeepsTheOrderOfTheSet) {
  Asked a = numbered(5);
  a.verdicts[0].accuracy.rmsUlp = 9;
  EXPECT_EQ(a.largest([](auto& set) { return set.size() <= 3; }).set, (Ids{"C1", "C2", "C3"}));
}

TEST(LargestEqualSet, WhatCostsMostAccuracyForTheLeastTimeIsLeftOutFirst) {
  Asked a = numbered(6);
  auto saves = [&](int i, double wallUs, double speedup) {
    a.verdicts[i].outcome = Outcome::Faster;
    a.verdicts[i].speedup = {speedup, speedup, speedup};
    a.verdicts[i].before.timings = {{"warm", {wallUs}, {}, false}};
  };
  a.verdicts[1].accuracy.grade = "at-least-as-accurate";
  a.verdicts[2].accuracy.grade = "bitwise", a.verdicts[2].accuracy.rmsUlp = 0;
  saves(3, 100, 2);
  saves(4, 1000, 2);
  a.verdicts[5].accuracy.rmsUlp = 0.5;
  EXPECT_EQ(leastCostFirst(a.all(), a.candidates, a.verdicts), (Ids{"C2", "C1", "C4", "C3", "C5", "C0"}));
}

TEST(LargestEqualSet, WhatIsFoundWithinTheTimeStands) {
  Asked a = numbered(16);
  auto found = a.largest([](auto& set) { return set.size() <= 9; }, 1);
  EXPECT_EQ(found.set.size(), 8u);
  ASSERT_EQ(found.left.size(), 8u);
  EXPECT_NE(found.left[0].reason.find("within the budget"), std::string::npos) << found.left[0].reason;
}

TEST(LargestEqualSet, WhatOthersMakeThePlaceOfGoesWithThem) {
  Asked a = numbered(4);
  a.candidates[3].follows = {"C0"};
  a.candidates[3].round = 2;
  auto found = a.largest([&](auto& set) { return !has(set, "C0"); });
  EXPECT_EQ(found.set, (Ids{"C1", "C2"}));
  ASSERT_EQ(found.left.size(), 2u);
  EXPECT_EQ(found.left[1].reason, kOrphanWords);
  Asked later = numbered(4);  // the follower is tried first, without its place
  later.candidates[0].follows = {"C3"};
  later.verdicts[0].accuracy.rmsUlp = 0.1;
  EXPECT_EQ(later.largest([&](auto& set) { return !has(set, "C1"); }).set, (Ids{"C0", "C2", "C3"}));
}

TEST(LargestEqualSet, OfAChainThatWasTriedInTheWrongOrderAllAreIn) {
  Asked a = numbered(5);
  a.verdicts[0].accuracy.rmsUlp = a.verdicts[1].accuracy.rmsUlp = 9;  // tried behind what follows them
  a.candidates[2].follows = {"C4"};
  a.candidates[3].follows = a.candidates[4].follows = {"C0"};
  auto found = a.largest([&](auto& set) { return !has(set, "C3"); });
  EXPECT_EQ(found.set, (Ids{"C0", "C1", "C2", "C4"}));
  ASSERT_EQ(found.left.size(), 1u);
  EXPECT_EQ(found.left[0].candidate, "C3");
}

TEST(LargestEqualSet, OfNothingIsNothing) {
  Asked a;
  auto found = a.largest([](auto&) { return false; });
  EXPECT_TRUE(found.set.empty());
  EXPECT_TRUE(found.left.empty());
  EXPECT_EQ(a.trials, 0);
}

TEST(LargestEqualSet, WhatIsRefutedIsProvenWithoutTheDearestThenEachAlone) {
  Asked a = numbered(5);
  a.verdicts[1].accuracy.rmsUlp = 9;
  a.candidates[4].follows = {"C2"};
  LargestSet found{{"C0", "C1", "C2", "C4"}, {{"C3", std::string(kBeyondTogether) + ": too far off"}}};
  EXPECT_EQ(setsToProve(found, a.candidates, a.verdicts),
            (std::vector<Ids>{
                {"C0", "C1", "C2", "C4"}, {"C0", "C2", "C4"}, {"C0", "C2"}, {"C0"}, {"C2"}, {"C1"}, {"C3"}}));
  found = {{}, {{"C3", std::string(kBeyondAlone) + ": too far off"}}};
  EXPECT_TRUE(setsToProve(found, a.candidates, a.verdicts).empty()) << "it was tried alone";
}

}  // namespace
}  // namespace kadvise
