#include "analyzer/core/apply_edits.h"

#include <gtest/gtest.h>

namespace kadvise {
namespace {

Fix fixOf(std::vector<Edit> edits) { return {"a fix", Safety::Safe, std::move(edits)}; }

std::string applied(const std::string& text, const std::vector<Fix>& fixes, int* chosen = nullptr) {
  std::vector<const Fix*> all;
  for (auto& f : fixes) all.push_back(&f);
  return withFixes(text, all, chosen);
}

TEST(ApplyEdits, InWhateverOrderTheyStand) {
  EXPECT_EQ(applied("abcdef", {fixOf({{"", 4, 1, "E"}, {"", 0, 2, ""}}), fixOf({{"", 3, 0, "-"}})}), "c-dEf");
}

TEST(ApplyEdits, AFixThatOverlapsAnEarlierOneIsLeftOutWhole) {
  int chosen = 0;
  EXPECT_EQ(applied("abcdef", {fixOf({{"", 1, 2, "X"}}), fixOf({{"", 2, 2, "Y"}, {"", 5, 1, "F"}})}, &chosen),
            "aXdef");
  EXPECT_EQ(chosen, 1);
}

TEST(ApplyEdits, EqualEditsOfTwoFixesCountOnce) {
  EXPECT_EQ(applied("ab", {fixOf({{"", 0, 1, "X"}}), fixOf({{"", 0, 1, "X"}})}), "Xb");
}

TEST(ApplyEdits, TwoInsertionsAtOnePlaceAreNoBoth) {
  EXPECT_EQ(applied("ab", {fixOf({{"", 1, 0, "X"}}), fixOf({{"", 1, 0, "Y"}})}), "aXb");
}

TEST(ApplyEdits, WhatLiesOutsideTheTextIsLeftOut) {
  EXPECT_EQ(applied("ab", {fixOf({{"", 1, 5, "X"}}), fixOf({{"", 9, 0, "Y"}})}), "ab");
}

}  // namespace
}  // namespace kadvise
