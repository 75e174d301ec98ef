#include "analyzer/core/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

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

TEST(File, ACopyIsWholeHoweverLongItIs) {
  test::TemporaryFolder folder;
  namespace fs = std::filesystem;
  folder.write("from", "new"), folder.write("other", "old");
  fs::create_symlink(folder.path / "other", folder.path / "to");
  fs::resize_file(folder.path / "from", (64u << 20) + 1);
  copyFile(folder.path / "from", folder.path / "to");
  EXPECT_EQ(fs::file_size(folder.path / "to"), (64u << 20) + 1);
  EXPECT_EQ(readFile(folder.path / "other"), "old") << "a link is replaced itself";
  EXPECT_THROW(copyFile(folder.path / "none", folder.path / "to"), Error);
  EXPECT_THROW(copyFile(folder.path / "from", folder.path / "missing/to"), Error);
  EXPECT_EQ(filesIn(folder.path), 3u);
}

std::string readFrom(int fd, std::size_t bytes) {
  std::string text(bytes, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(fd, text.data(), bytes))));
  return text;
}

// Where nothing is to be replaced: as root a file would take the place of the device.
TEST(File, IsWrittenIntoAStream) {
  test::TemporaryFolder folder;
  const auto pipe = folder.path / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  writeFile(pipe, "text");
  EXPECT_EQ(readFrom(reader, 9), "text");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  folder.write("made", "x");
  EXPECT_THROW(commitFile(folder.path / "made", pipe), Error);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(filesIn(folder.path), 1u);
  ::close(reader);
}

TEST(File, IsWrittenIntoAnOpenFileByItsName) {
  test::TemporaryFolder folder;
  folder.write("a", "begun, ");
  const int fd = ::open((folder.path / "a").c_str(), O_WRONLY | O_APPEND);
  writeFile("/dev/fd/" + std::to_string(fd), "ended");
  ::close(fd);
  EXPECT_EQ(readFile(folder.path / "a"), "begun, ended");
  EXPECT_TRUE(isStream("/dev/null"));
  EXPECT_FALSE(isStream(folder.path / "a"));
  EXPECT_FALSE(isStream(folder.path));
  EXPECT_FALSE(isStream(folder.path / "none"));
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
