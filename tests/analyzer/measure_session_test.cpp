// An engine that dies is started and opened again, but neither for ever nor after a refusal.
#include "analyzer/measure_session.h"

#include <gtest/gtest.h>

#include "tests/analyzer/engine_replies.h"
#include "tests/analyzer/fake_engines.h"

namespace kadvise {
namespace {

const Json kTrace = {{"base", {{"path", "base.pt"}}}, {"out", "values.json"}, {"save", Json::array()}};

TEST(MeasureSession, StartsAgainAndOpensAgainAfterADeath) {
  FakeEngines fake(scenarioWith({fault("measure", "trace", "sigkill")}));
  MeasureSession session(fake.measure(), fake.log(), {kPatienceSeconds, 0}, kOpen);
  session.begin();
  ASSERT_TRUE(session.finishOpening({}));
  expectDied(session.request("trace", kTrace, "tracing", nullptr, {}), "SIGKILL");
  EXPECT_TRUE(session.usable());
  EXPECT_TRUE(session.request("trace", kTrace, "tracing", nullptr, {}));
  EXPECT_EQ(fake.requests(), (std::vector<std::string>{"open", "trace", "open", "trace"}));
}

TEST(MeasureSession, TriesTwiceToOpen) {
  FakeEngines fake(scenarioWith({fault("measure", "open", "sigkill")}));
  MeasureSession session(fake.measure(), fake.log(), {kPatienceSeconds, 0}, kOpen);
  session.begin();
  EXPECT_TRUE(session.finishOpening({}));
}

TEST(MeasureSession, GivesUpAfterTheSecondDeath) {
  FakeEngines fake(scenarioWith({fault("measure", "open", "sigkill", 9)}));
  MeasureSession session(fake.measure(), fake.log(), {kPatienceSeconds, 0}, kOpen);
  session.begin();
  expectDied(session.finishOpening({}), "SIGKILL");
  EXPECT_FALSE(session.usable());
  expectDied(session.request("trace", kTrace, "tracing", nullptr, {}), "SIGKILL");
  EXPECT_EQ(fake.requests(), (std::vector<std::string>{"open", "open"}));
}

TEST(MeasureSession, DoesNotAskAgainWhatWasRefused) {
  FakeEngines fake(scenarioWith({fault("measure", "open", "error", 9)}));
  MeasureSession session(fake.measure(), fake.log(), {kPatienceSeconds, 0}, kOpen);
  session.begin();
  EXPECT_EQ(session.finishOpening({}).kind, Reply::Kind::Refused);
  EXPECT_EQ(fake.requests(), (std::vector<std::string>{"open"}));
}

}  // namespace
}  // namespace kadvise
