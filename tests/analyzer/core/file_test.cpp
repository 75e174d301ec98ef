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
