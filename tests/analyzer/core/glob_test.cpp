#include "analyzer/core/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace kadvise {
namespace {

TEST(PathGlob, WithoutASlashMatchesAFileOrAFolderAnywhere) {
  EXPECT_TRUE(pathMatches("model.py", "a/b/model.py"));
  EXPECT_TRUE(pathMatches("legacy", "a/legacy/b/model.py"));
  EXPECT_TRUE(pathMatches("legacy/", "legacy/model.py"));
  EXPECT_TRUE(pathMatches("*_test.py", "a/x_test.py"));
  EXPECT_FALSE(pathMatches("model.py", "a/my_model.py"));
  EXPECT_FALSE(pathMatches("legac", "legacy/model.py"));
}

TEST(PathGlob, WithASlashStartsAtTheFolderOfTheFile) {
  EXPECT_TRUE(pathMatches("src/*.py", "src/a.py"));
  EXPECT_FALSE(pathMatches("src/*.py", "src/deep/a.py"));
  EXPECT_FALSE(pathMatches("src/*.py", "lib/src/a.py"));
  EXPECT_TRUE(pathMatches("src/legacy", "src/legacy/deep/a.py"));
  EXPECT_FALSE(pathMatches("src?a.py", "src/a.py"));
}

TEST(PathGlob, TwoStarsCrossFoldersButNotParts) {
  EXPECT_TRUE(pathMatches("**/a.py", "a.py"));
  EXPECT_TRUE(pathMatches("**/a.py", "x/y/a.py"));
  EXPECT_FALSE(pathMatches("**/a.py", "x/ya.py"));
  EXPECT_TRUE(pathMatches("x/**/a.py", "x/a.py"));
  EXPECT_TRUE(pathMatches("x/**/b*/a.py", "x/b/c/b1/a.py"));
  EXPECT_TRUE(pathMatches("x/**", "x/y/z"));
  EXPECT_FALSE(pathMatches("x/**/a.py", "y/x/a.py"));
}

TEST(PathGlob, ManyStarsEndSoon) {
  std::string pattern, text(4000, 'a');
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(pathMatches(pattern + "b", text));
  EXPECT_FALSE(scopeMatches(pattern + "b", text));
}

TEST(ScopeGlob, StarsCrossDots) {
  EXPECT_TRUE(scopeMatches("encoder.layers.*", "encoder.layers.3.norm"));
  EXPECT_TRUE(scopeMatches("*.norm?", "encoder.layers.3.norm1"));
  EXPECT_TRUE(scopeMatches("*", ""));
  EXPECT_FALSE(scopeMatches("encoder", "encoder.layers"));
  EXPECT_FALSE(scopeMatches("encoder.layers.*", "decoder.layers.3"));
}

}  // namespace
}  // namespace kadvise
