#include "analyzer/core/foreign_json.h"

#include <gtest/gtest.h>

namespace kadvise {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ForeignJson, IsReadAsItIs) {
  EXPECT_EQ(parseForeign(R"({"a": [1, "[[[[\"{{"]})")["a"][1], "[[[[\"{{");
  EXPECT_TRUE(parseForeign("{").is_discarded());
  EXPECT_TRUE(parseForeign("").is_discarded());
  EXPECT_TRUE(parseForeign("\xff").is_discarded());
}

TEST(ForeignJson, IsDiscardedWhereItWouldUseUpTheStack) {
  EXPECT_TRUE(parseForeign(nested(100)).is_array());
  for (std::size_t depth : {201u, 1'000'000u}) {
    EXPECT_TRUE(isNestedTooDeeply(nested(depth))) << depth;
    EXPECT_TRUE(parseForeign(nested(depth)).is_discarded()) << depth;
  }
}

TEST(ForeignJson, BracketsInStringsAndSideBySideAreNoDepth) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += (many.empty() ? "" : ",") + std::string("[{}]");
  EXPECT_FALSE(isNestedTooDeeply("[" + many + "]"));
  EXPECT_FALSE(isNestedTooDeeply("\"" + std::string(1000, '[') + "\""));
  EXPECT_FALSE(isNestedTooDeeply("\"\\\"" + std::string(1000, '[') + "\""));
}

}  // namespace
}  // namespace kadvise
