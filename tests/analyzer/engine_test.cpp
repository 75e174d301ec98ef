// The life of an engine: whatever it does, the front gets a value back, in time, and no process stays behind.
#include "analyzer/engine.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "tests/analyzer/engine_replies.h"
#include "tests/analyzer/fake_engines.h"

namespace kadvise {
namespace {

const Json kLoad = {{"path", "m.pt"}, {"workDir", "/tmp"}, {"opLibraries", Json::array()}};

Reply ask(Engine& engine, MessageHandler handler = nullptr, const WaitHooks& hooks = {}) {
  engine.send("load", kLoad, "reading the module", std::move(handler));
  waitFor({&engine}, hooks);
  return engine.take();
}

Reply askFaulty(const std::string& how, EngineLimits limits = {kPatienceSeconds, 0}) {
  FakeEngines fake(scenarioWith({fault("graph", "load", how)}));
  Engine engine(fake.graph(), fake.log(), limits);
  Reply reply = ask(engine);
  EXPECT_EQ(reply.kind == Reply::Kind::Died, !engine.alive());
  return reply;
}

bool exists(pid_t pid) { return ::kill(pid, 0) == 0; }

pid_t pidIn(const FakeEngines& fake, const char* file) {
  std::string text = fake.read(file);
  return text.empty() ? 0 : std::stoi(text);
}

TEST(Engine, AnswersARequest) {
  FakeEngines fake;
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  Reply reply = ask(engine);
  ASSERT_TRUE(reply) << reply.reason;
  EXPECT_EQ(reply.body.at("base"), "base.pt");
  EXPECT_TRUE(ask(engine)) << "a second request to the same engine";
}

TEST(Engine, SaysWhatALibraryOfAPythonPackageNeeds) {
  constexpr const char* kRemedy = "in this order: libpython, torch/lib/libtorch_python.so, then";
  auto reasonOf = [](const std::string& what) {
    return askFaulty("error at _C.so: the operator library cannot be loaded: " + what).reason;
  };
  EXPECT_NE(reasonOf("libtorch_python.so: cannot open shared object file").find(kRemedy), std::string::npos);
  EXPECT_NE(reasonOf("undefined symbol: PyInstanceMethod_Type").find(kRemedy), std::string::npos);
  EXPECT_EQ(reasonOf("invalid ELF header").find(kRemedy), std::string::npos);
}

TEST(Engine, KeepsWhatAModelPrintsOutOfTheConversation) {
  FakeEngines fake;
  {
    Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
    ASSERT_TRUE(ask(engine));
    engine.send("match",
                {{"values", ""},
                 {"rules", Json::array()},
                 {"maxLevel", 5},
                 {"device", "cpu"},
                 {"arch", 0},
                 {"gpu", "H100"},
                 {"allowApproximate", false}},
                "matching", nullptr);
    waitFor({&engine}, {});
    ASSERT_TRUE(engine.take());
  }
  // Python writes its buffer when it ends by itself; killed, the log may be empty but never the conversation
  // broken.
  EXPECT_TRUE(std::filesystem::exists(fake.log()));
}

TEST(Engine, HandsOverMessagesInOrder) {
  FakeEngines fake;
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  std::vector<std::string> types;
  engine.send("match",
              {{"values", ""},
               {"rules", Json::array()},
               {"maxLevel", 5},
               {"device", "cpu"},
               {"arch", 0},
               {"gpu", "H100"},
               {"allowApproximate", false}},
              "matching", [&](const std::string& type, const Json&) { types.push_back(type); });
  waitFor({&engine}, {});
  EXPECT_TRUE(engine.take());
  EXPECT_EQ(types, (std::vector<std::string>{"finding", "artefact"}));
}

TEST(Engine, SendsARequestLargerThanTheSocketHolds) {
  FakeEngines fake;
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  Json big = kLoad;
  big["opLibraries"] = std::vector<std::string>(20000, std::string(200, 'x'));
  engine.send("load", big, "reading", nullptr);
  waitFor({&engine}, {});
  EXPECT_TRUE(engine.take());
}

TEST(Engine, WorksBesideAnother) {
  FakeEngines fake(scenarioWith({fault("graph", "load", "slow"), fault("measure", "open", "slow")}));
  Engine graph(fake.graph(), fake.log(), {kPatienceSeconds, 0}),
      measure(fake.measure(), fake.log(), {kPatienceSeconds, 0});
  graph.send("load", kLoad, "reading", nullptr);
  measure.send("open", kOpen, "loading", nullptr);
  waitFor({&graph, &measure}, {});
  EXPECT_LT(graph.seconds(), 2.9) << "each takes 1.5 s: together they must not take 3";
  EXPECT_TRUE(graph.take());
  EXPECT_TRUE(measure.take());
}

TEST(Engine, SaysWhichSignalKilledIt) {
  expectDied(askFaulty("sigkill"), "kadvise-graph was killed by SIGKILL while reading the module (");
}

TEST(Engine, SaysThatItCrashed) { expectDied(askFaulty("sigsegv"), "was killed by SIGSEGV"); }

TEST(Engine, SaysItsExitCode) {
  expectDied(askFaulty("exit3"), "ended with exit code 3 while reading the module");
}

TEST(Engine, TreatsAQuietEndAsDeath) { expectDied(askFaulty("exit0"), "ended with exit code 0"); }

TEST(Engine, RefusesGarbage) {
  expectDied(askFaulty("garbage"), "sent something that is not a message, \"Segmentation fault? ?[31m no\"");
}

TEST(Engine, RefusesALineThatIsNoObject) { expectDied(askFaulty("array"), "is not a message"); }

TEST(Engine, RefusesAHugeLine) { expectDied(askFaulty("huge"), "sent a message of more than 64 MiB"); }

TEST(Engine, RefusesTheAnswerToAnotherRequest) {
  expectDied(askFaulty("other-id"), "answered another request");
}

TEST(Engine, NamesBothVersionsOfTheProtocol) {
  Reply reply = askFaulty("version");
  expectDied(reply, "speaks version 2 of the protocol and this kadvise version 1");
  EXPECT_TRUE(reply.overLimit) << "another start would not help";
}

TEST(Engine, HandsOverARefusal) {
  Reply reply = askFaulty("error");
  EXPECT_EQ(reply.kind, Reply::Kind::Refused);
  EXPECT_EQ(reply.where, "the model");
  EXPECT_EQ(reply.reason, "cannot be run");
}

TEST(Engine, StopsAtItsTimeLimit) {
  Reply reply = askFaulty("hang", {0.5, 0});
  expectDied(reply, "was stopped at its limit of 0.5 s (--time-limit) while reading the module");
  EXPECT_TRUE(reply.overLimit);
}

TEST(Engine, StopsWhatIsSilentForTooLong) {
  FakeEngines fake(scenarioWith({fault("graph", "load", "hang")}));
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  engine.send("load", kLoad, "reading", nullptr);
  engine.limitSilence(0.5);
  waitFor({&engine}, {});
  expectDied(engine.take(), "did not end in 0.5 s and was stopped while reading");
}

TEST(Engine, StopsAtItsMemoryLimit) {
  Reply reply = askFaulty("hog", {kPatienceSeconds, 200u << 20});
  expectDied(reply, "was stopped at its limit of 0.195 GiB of memory (--memory-limit)");
  EXPECT_TRUE(reply.overLimit);
}

TEST(Engine, GivesUpOnOneThatHangsUpWithoutEnding) {
  expectDied(askFaulty("close"), "hung up without ending and was stopped");
}

TEST(Engine, ReportsAMalformedBody) {
  FakeEngines fake(scenarioWith({fault("graph", "load", "bad-body")}));
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  expectDied(ask(engine, [](const std::string&, const Json& body) { (void)body.get<Verdict>(); }),
             "sent a malformed verdict");
}

TEST(Engine, SaysThatItCannotBeStarted) {
  Engine engine(Program("/nonexistent/kadvise-graph"), "/tmp/kadvise-engine-test.log", {kPatienceSeconds, 0});
  expectDied(ask(engine), "/nonexistent/kadvise-graph: could not be started: No such file or directory");
  expectDied(ask(engine), "could not be started");  // asked again
}

TEST(Engine, NoticesADeathBetweenRequests) {
  FakeEngines fake;
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  ASSERT_TRUE(ask(engine));
  ASSERT_EQ(::kill(pidIn(fake, "kadvise-graph.pid"), SIGKILL), 0);
  expectDied(ask(engine), "was killed by SIGKILL");
  expectDied(ask(engine), "is no longer running");
}

TEST(Engine, EndsWhatItStartedToo) {
  FakeEngines fake(scenarioWith({fault("graph", "load", "orphan")}));
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  expectDied(ask(engine), "ended with exit code 9");
  for (int i = 0; i < 100 && exists(pidIn(fake, "orphan.pid")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  // The grandchild is init's to reap: gone, or a zombie until then.
  std::ifstream status("/proc/" + std::to_string(pidIn(fake, "orphan.pid")) + "/stat");
  std::string pid, name, state;
  if (status >> pid >> name >> state) {
    EXPECT_EQ(state, "Z");
  }
}

TEST(Engine, DiesWithItsOwner) {
  FakeEngines fake;
  pid_t pid = 0;
  {
    Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
    ASSERT_TRUE(ask(engine));
    pid = pidIn(fake, "kadvise-graph.pid");
    EXPECT_TRUE(exists(pid));
    EXPECT_EQ(::getpgid(pid), pid) << "a group of its own: Ctrl-C reaches the front only";
  }
  EXPECT_FALSE(exists(pid));
}

TEST(Engine, LeavesNoHalfOfAFile) {
  FakeEngines fake(scenarioWith({fault("graph", "load", "writing")}));
  auto unfinished = [&] {
    int out = 0;
    for (auto& e : std::filesystem::directory_iterator(fake.folder)) out += e.path().extension() == ".tmp";
    return out;
  };
  {
    Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
    engine.send("load", kLoad, "reading", nullptr);
    WaitHooks untilItWrites{nullptr, [&] { return unfinished() > 0; }};
    EXPECT_THROW(waitFor({&engine}, untilItWrites), Interrupted);
  }
  EXPECT_EQ(unfinished(), 0);
}

TEST(Engine, DiesWithAFrontThatIsKilled) {
  FakeEngines fake;
  pid_t front = ::fork();
  if (front == 0) {
    Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
    ask(engine);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(front, &status, 0);
  pid_t pid = pidIn(fake, "kadvise-graph.pid");
  ASSERT_GT(pid, 0);
  std::string state = "gone";
  for (int i = 0; i < 100; ++i) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name;
    state = "gone";
    stat >> number >> name >> state;
    if (state == "gone" || state == "Z") break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(state == "gone" || state == "Z") << state;
}

TEST(Engine, InheritsNoDescriptorOfOurs) {
  FakeEngines fake(scenarioWith({fault("graph", "load", "hang")}));
  int ours = ::dup(0);  // without close-on-exec
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  engine.send("load", kLoad, "reading", nullptr);
  for (int i = 0; i < 200 && fake.read("kadvise-graph.pid").empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::set<std::string> open;
  for (auto& e : std::filesystem::directory_iterator("/proc/" + fake.read("kadvise-graph.pid") + "/fd"))
    open.insert(e.path().filename());
  EXPECT_LE(open.size(), 6u) << "0 to 4, and at most one of the engine's own";
  for (const char* fd : {"0", "1", "2", "3", "4"}) EXPECT_TRUE(open.count(fd)) << fd;
  ::close(ours);
}

TEST(Engine, CanBeInterrupted) {
  FakeEngines fake(scenarioWith({fault("graph", "load", "hang")}));
  Engine engine(fake.graph(), fake.log(), {kPatienceSeconds, 0});
  engine.send("load", kLoad, "reading", nullptr);
  int ticks = 0;
  WaitHooks hooks{[&] { ++ticks; }, [&] { return ticks >= 3; }};
  EXPECT_THROW(waitFor({&engine}, hooks), Interrupted);
}

}  // namespace
}  // namespace kadvise
