#include "analyzer/core/json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

template <class T>
void roundTrips(const T& value) {
  Json once = value;
  EXPECT_EQ(Json(once.get<T>()), once) << once;
}

TEST(CoreJson, EveryStructRoundTrips) {
  Location where{"a.py", 3, 4, 5, 6, "encoder.0", "x = y"};
  Rewrite rewrite{"C1", "before", "after", 5, Exactness::Reassociates, "domain"};
  Finding finding{"id",
                  "fusion/x",
                  "message",
                  Severity::Warning,
                  where,
                  {where},
                  {{"title", Safety::Safe, rewrite}},
                  Estimate{1, 2, 3, "bytes"}};
  finding.fixes.push_back({"edit", Safety::Unsafe, std::vector<Edit>{{"f.cu", 1, 2, "text"}}});
  roundTrips(finding);
  roundTrips(Refusal{"rule", where, {"%a", "is 2"}});
  roundTrips(NotApplicable{"rule", "why"});
  roundTrips(
      NearPlace{"rule", where, 12, 3, 4, {{where, {"`dim` of aten::softmax", "is 1, the rule wants -1"}}}});
  Verdict verdict;
  verdict.candidate = "C1";
  verdict.findings = {"a", "b"};
  verdict.outcome = Outcome::WrongOutput;
  verdict.speedup = {0.9, 1, 1.1};
  verdict.accuracy = {1, 2, 3, 4, 5, "within-bound", "normal"};
  verdict.before.timings = {{"warm", {1, 2}, {3}, true}};
  verdict.before.kernels = {{"k", "aten::add", "a.b", where, 1, 2, {1, 2, 3}, {4, 5, 6}, 7}};
  verdict.before.counters = {{"dram", 1.5}};
  roundTrips(verdict);
  Candidate c{"C1",
              "r",
              "t",
              5,
              Exactness::Exact,
              "",
              "b",
              "a",
              "b64",
              "a64",
              {{"w0", "fc.weight"}},
              {"in.0"},
              {"f"},
              true,
              {"C2"},
              1,
              {}};
  roundTrips(c);
  c.round = finding.round = 2;
  c.follows = {"C3"};
  roundTrips(c);
  roundTrips(finding);
}

TEST(CoreJson, UnknownFiguresTravelAsNull) {
  Json j = Interval{std::nan(""), 1, INFINITY};
  EXPECT_TRUE(j["low"].is_null());
  EXPECT_TRUE(std::isnan(j.get<Interval>().low));
}

TEST(CoreJson, UnknownWordsAreErrors) {
  EXPECT_THROW((Json{{"outcome", "splendid"}}.get<Verdict>()), Error);
  EXPECT_EQ(Json::object().get<Finding>().severity, Severity::Opportunity)
      << "a missing field keeps its default";
}

}  // namespace
}  // namespace kadvise
