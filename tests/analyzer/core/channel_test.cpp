#include "analyzer/core/channel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

struct Pipe {
  int fd[2];
  Pipe() { EXPECT_EQ(::pipe(fd), 0); }
  ~Pipe() {
    closeWrite();
    ::close(fd[0]);
  }
  void closeWrite() {
    if (fd[1] >= 0) ::close(fd[1]);
    fd[1] = -1;
  }
  void put(const std::string& s) {
    ASSERT_EQ(::write(fd[1], s.data(), s.size()), static_cast<ssize_t>(s.size()));
  }
};

TEST(Channel, LinesArriveWholeHoweverTheyAreCut) {
  Pipe p;
  LineReader reader(p.fd[0]);
  p.put("ab");
  EXPECT_FALSE(reader.next(10));
  EXPECT_TRUE(reader.timedOut());
  p.put("c\nsecond\n");
  EXPECT_EQ(reader.next(), "abc");
  EXPECT_EQ(reader.next(), "second");
  p.closeWrite();
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.timedOut());
}

TEST(Channel, AnEndlessLineIsRefused) {
  Pipe p;
  LineReader reader(p.fd[0], 100);
  p.put(std::string(1000, 'x'));
  EXPECT_THROW(reader.next(), Error);
}

TEST(Channel, AFailingRequestDoesNotEndTheService) {
  Pipe requests, messages;
  auto ask = [&](const Json& j) { requests.put(j.dump() + "\n"); };
  ask({{"version", 1}, {"id", 1}, {"verb", "fail"}, {"arguments", Json::object()}});
  ask({{"version", 99}, {"id", 2}, {"verb", "echo"}, {"arguments", Json::object()}});
  requests.put("not json\n");
  ask({{"version", 1}, {"id", 4}, {"verb", "echo"}, {"arguments", {{"x", 7}}}});
  requests.closeWrite();
  int rc = serve(
      [](const std::string& verb, const Json& a, const Replies& replies) -> Json {
        if (verb == "fail") throw Error("place", "reason");
        replies.progress("working", 1, 2);
        return a;
      },
      requests.fd[0], messages.fd[1]);
  EXPECT_EQ(rc, 0);
  LineReader reader(messages.fd[0]);
  auto next = [&] { return Json::parse(*reader.next(1000)); };
  auto failed = next();
  EXPECT_EQ(failed["type"], "error");
  EXPECT_EQ(failed["body"]["where"], "place");
  EXPECT_EQ(next()["type"], "error") << "another protocol version";
  EXPECT_EQ(next()["type"], "error") << "not JSON";
  EXPECT_EQ(next()["type"], "progress");
  auto done = next();
  EXPECT_EQ(done["id"], 4);
  EXPECT_EQ(done["body"]["x"], 7);
}

TEST(Channel, BytesThatAreNoUtf8DoNotBreakAMessage) {
  Pipe p;
  Replies(p.fd[1], 1).progress("\xff\xfe name");
  auto message = Json::parse(*LineReader(p.fd[0]).next(1000));
  EXPECT_EQ(message["type"], "progress");
}

TEST(Channel, AFrontThatDiedIsNoticed) {
  Pipe p;
  ::close(p.fd[0]);
  std::signal(SIGPIPE, SIG_IGN);
  EXPECT_FALSE(writeLine(p.fd[1], "x"));
  p.fd[0] = ::dup(p.fd[1]);
}

}  // namespace
}  // namespace kadvise
