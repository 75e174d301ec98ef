// What an engine says without end, or nested without end, keeps the front from nothing.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/analyzer/engine_replies.h"
#include "tests/analyzer/fake_engines.h"

namespace kadvise {
namespace {

constexpr const char* kEndless =
    R"(exec yes '{"version": 1, "id": 1, "type": "progress", "body": {"what": "", "done": 0, "total": 0}}' >&4)";
constexpr const char* kNested =
    R"(open=$(head -c 100000 /dev/zero | tr '\0' '['); close=$(head -c 100000 /dev/zero | tr '\0' ']')
echo '{"version": 1, "id": 1, "type": "done", "body": {"a": '"$open$close"'}}' >&4)";

// A script of the shell in the engine's place.
Reply askScript(const char* script, double mostSeconds, const WaitHooks& hooks = {}) {
  FakeEngines fake;
  std::ofstream(fake.graph()) << "#!/bin/sh\n" << script << "\n";
  Engine engine(fake.graph(), fake.log(), {mostSeconds, 0});
  engine.send("load", Json::object(), "reading the module", nullptr);
  waitFor({&engine}, hooks);
  return engine.take();
}

TEST(EngineTalk, WithoutEndEndsAtTheTimeLimit) {
  expectDied(askScript(kEndless, 0.5), "was stopped at its limit of 0.5 s");
}

TEST(EngineTalk, WithoutEndCanBeInterrupted) {
  EXPECT_THROW(askScript(kEndless, kPatienceSeconds, {nullptr, [] { return true; }}), Interrupted);
}

TEST(EngineTalk, ThatIsNestedTooDeeplyIsNoMessage) {
  expectDied(askScript(kNested, kPatienceSeconds), "sent something that is not a message");
}

}  // namespace
}  // namespace kadvise
