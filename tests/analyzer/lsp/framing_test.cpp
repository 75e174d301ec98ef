#include "analyzer/lsp/framing.h"

#include <gtest/gtest.h>

#include "analyzer/core/error.h"

namespace kadvise::lsp {
namespace {

std::vector<Frame> allOf(Framing& framing) {
  std::vector<Frame> out;
  while (auto frame = framing.next()) out.push_back(*frame);
  return out;
}

std::vector<Frame> framesOf(const std::string& bytes) {
  Framing framing;
  framing.feed(bytes);
  return allOf(framing);
}

TEST(Framing, ReadsMessagesThatComeInPieces) {
  std::string bytes = framed({{"a", 1}}) + framed({{"b", "é"}});
  Framing framing;
  std::vector<std::string> bodies;
  for (char c : bytes) {
    framing.feed({&c, 1});
    for (auto& frame : allOf(framing)) bodies.push_back(frame.body);
  }
  EXPECT_EQ(bodies, (std::vector<std::string>{R"({"a":1})", R"({"b":"é"})"}));
}

TEST(Framing, TakesHeadersInAnyOrderAndCase) {
  auto frames = framesOf("Content-Type: application/json\r\ncontent-length:  2\r\n\r\n{}");
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].body, "{}");
}

TEST(Framing, FindsTheNextMessageBehindGarbage) {
  auto frames = framesOf("garbage\r\n\r\nmore garbage Content-Length: x\r\n\r\n" + framed({{"a", 1}}));
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_FALSE(frames[0].fault.empty());
  EXPECT_FALSE(frames[1].fault.empty());
  EXPECT_EQ(frames[2].body, R"({"a":1})");
}

TEST(Framing, KeepsNoMoreOfGarbageThanAHeader) {
  Framing framing;
  framing.feed(std::string(1 << 20, 'x'));
  auto frame = framing.next();
  ASSERT_TRUE(frame);
  EXPECT_FALSE(frame->fault.empty());
  EXPECT_FALSE(framing.next());
  framing.feed("\r\n\r\n" + framed({{"a", 1}}));
  auto frames = allOf(framing);
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames.back().body, R"({"a":1})");
}

TEST(Framing, SkipsABodyThatIsTooLong) {
  Framing framing;
  std::size_t size = 65u << 20;
  framing.feed("Content-Length: " + std::to_string(size) + "\r\n\r\n");
  ASSERT_TRUE(framing.next());
  for (std::size_t sent = 0; sent < size; sent += 1u << 20) {
    framing.feed(std::string(1 << 20, 'x'));
    ASSERT_FALSE(framing.next());
  }
  framing.feed(framed({{"a", 1}}));
  EXPECT_EQ(framing.next()->body, R"({"a":1})");
}

TEST(Framing, ComplainsOnceOfALengthThatIsAbsurdAndGoesOn) {
  for (auto* length : {"1000000000000000", "99999999999999999999999999"}) {
    Framing framing;
    framing.feed("Content-Length: " + std::string(length) + "\r\n\r\n");
    ASSERT_FALSE(framing.next()->fault.empty());
    for (int i = 0; i < 100; ++i) {
      framing.feed(std::string(10'000, 'x'));
      EXPECT_FALSE(framing.next());
    }
    framing.feed("\r\n\r\n" + framed({{"a", 1}}));
    EXPECT_EQ(framing.next()->body, R"({"a":1})");
    framing.feed("no header\r\n\r\n");
    EXPECT_TRUE(framing.next());  // of what comes later one hears again
  }
}

TEST(Framing, RefusesWhatIsNoJsonOrNestedTooDeeply) {
  EXPECT_THROW(parseMessage("{"), Error);
  EXPECT_THROW(parseMessage("\xff"), Error);
  EXPECT_THROW(parseMessage(std::string(100'000, '[')), Error);
  EXPECT_THROW(parseMessage(std::string(300, '[') + std::string(300, ']')), Error);
  EXPECT_EQ(parseMessage(R"({"a": "[[[[\"{{"})")["a"], "[[[[\"{{");
}

TEST(Framing, MakesHalvesOfPairsReplacementCharacters) {
  auto said = [](const std::string& text) {
    return parseMessage("{\"a\": \"" + text + "\"}")["a"].get<std::string>();
  };
  EXPECT_EQ(said("\\ud834"), "\uFFFD");
  EXPECT_EQ(said("x\\uDD1Ey"), "x\uFFFDy");
  EXPECT_EQ(said("\\ud834\\udd1e"), "\U0001D11E");
  EXPECT_EQ(said("\\ud834\\ud834\\udd1e"), "\uFFFD\U0001D11E");
  EXPECT_EQ(said("\\udd1e\\ud834"), "\uFFFD\uFFFD");
  EXPECT_EQ(said("\\\\ud834"), "\\ud834");  // no escape
  EXPECT_EQ(said("\\ud834\\n"), "\uFFFD\n");
}

TEST(Framing, TellsThatAMessageIsLost) {
  Framing framing;
  framing.feed("Content-Length: 999999999\r\n\r\n");
  EXPECT_TRUE(framing.next()->isLostMessage);
  Framing garbage;
  garbage.feed("x: y\r\n\r\n");
  EXPECT_FALSE(garbage.next()->isLostMessage);
}

}  // namespace
}  // namespace kadvise::lsp
