#include "analyzer/core/file.h"

#include <gtest/gtest.h>

#include "analyzer/core/error.h"
#include "tests/analyzer/core/temporary_folder.h"

namespace kadvise {
namespace {

std::size_t filesIn(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(File, IsReplacedWhole) {
  test::TemporaryFolder folder;
  writeFile(folder.path / "a", "old");
  writeFile(folder.path / "a", "new and longer");
  EXPECT_EQ(readFile(folder.path / "a"), "new and longer");
  EXPECT_EQ(filesIn(folder.path), 1u) << "no temporary is left";
}

TEST(File, AFailedWriteLeavesTheOldFileAndNothingElse) {
  test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path / "a");  // a folder in the way: the rename fails
  folder.write("a/inside", "x");
  EXPECT_THROW(writeFile(folder.path / "a", "text"), Error);
  EXPECT_TRUE(std::filesystem::exists(folder.path / "a/inside"));
  EXPECT_EQ(filesIn(folder.path), 1u);
  EXPECT_THROW(writeFile(folder.path / "missing/folder/a", "text"), Error);
}

TEST(File, KeepsTheRightsOfTheOneItReplaces) {
  test::TemporaryFolder folder;
  namespace fs = std::filesystem;
  for (auto rights : {fs::perms(0600), fs::perms(0755)}) {
    writeFile(folder.path / "a", "old");
    fs::permissions(folder.path / "a", rights);
    writeFile(folder.path / "a", "new");
    EXPECT_EQ(fs::status(folder.path / "a").permissions(), rights);
  }
}

// A link in its place would lead the text into another file.
TEST(File, NobodyKnowsTheNameOfATemporary) {
  EXPECT_NE(temporaryBeside("folder/a"), temporaryBeside("folder/a"));
  test::TemporaryFolder folder;
  EXPECT_NO_THROW(writeFile(folder.path / std::string(250, 'a'), "text"));
}

TEST(File, ALinkIsReplacedItself) {
  test::TemporaryFolder folder;
  folder.write("other", "old");
  std::filesystem::create_symlink(folder.path / "other", folder.path / "link");
  writeFile(folder.path / "link", "new");
  EXPECT_EQ(readFile(folder.path / "other"), "old");
  EXPECT_EQ(readFile(folder.path / "link"), "new");
}

TEST(File, ReadingIsBoundedAndNamesTheFault) {
  test::TemporaryFolder folder;
  folder.write("big", std::string(100, 'x'));
  EXPECT_THROW(readFile(folder.path / "big", 99), Error);
  EXPECT_THROW(readFile(folder.path), Error);
  EXPECT_THROW(readFile(folder.path / "none"), Error);
  EXPECT_THROW(readFile("/dev/zero"), Error);
}

}  // namespace
}  // namespace kadvise
