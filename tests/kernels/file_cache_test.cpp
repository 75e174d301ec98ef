// The cache of files: what is kept comes back, and whatever is wrong with it is as if nothing had been kept.
#include "kernels/common/file_cache.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace kadvise {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMost = 1 << 20;

struct FileCacheTest : testing::Test {
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kadvise-cache-XXXXXX").string();
    root = mkdtemp(pattern.data());
    folder = root + "/deep/kadvise";
  }
  void TearDown() override { fs::remove_all(root); }

  std::string contentOf(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void setContent(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::string root, folder;
};

TEST_F(FileCacheTest, what_is_kept_comes_back_in_another_process) {
  const std::string key("a key\0with a zero", 17), value(100000, '\x80');
  FileCache writer(folder, "kernel", kMost);
  EXPECT_FALSE(writer.read(key));
  writer.write(key, value);
  writer.write("empty", "");
  const FileCache reader(folder, "kernel", kMost);
  EXPECT_EQ(reader.read(key), value);
  EXPECT_EQ(reader.read("empty"), "");
  EXPECT_FALSE(reader.read("a key"));
  EXPECT_FALSE(FileCache(folder, "tuned", kMost).read(key)) << "kinds are apart";
  writer.write(key, "newer");
  EXPECT_EQ(reader.read(key), "newer");
}

TEST_F(FileCacheTest, an_entry_with_any_byte_changed_or_of_any_other_length_is_not_read) {
  FileCache cache(folder, "kernel", kMost);
  cache.write("key", "the value");
  const std::string file = cache.fileOf("key"), whole = contentOf(file);
  ASSERT_GT(whole.size(), 12u);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] ^= 1;
    setContent(file, changed);
    EXPECT_FALSE(cache.read("key")) << "byte " << i;
    setContent(file, whole.substr(0, i));
    EXPECT_FALSE(cache.read("key")) << "length " << i;
  }
  setContent(file, whole + "x");
  EXPECT_FALSE(cache.read("key"));
  setContent(file, whole);
  EXPECT_EQ(cache.read("key"), "the value");
}

TEST_F(FileCacheTest, an_entry_of_another_key_in_its_place_is_not_read) {
  FileCache cache(folder, "kernel", kMost);
  cache.write("one", "1");
  cache.write("two", "2");
  fs::copy_file(cache.fileOf("two"), cache.fileOf("one"), fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.read("one"));
  EXPECT_EQ(cache.read("two"), "2");
}

TEST_F(FileCacheTest, without_a_folder_nothing_is_kept_and_nothing_fails) {
  setContent(root + "/file", "no folder");
  for (const std::string& none :
       {std::string(), root + "/file", root + "/file/below", std::string("/proc/kadvise")}) {
    FileCache cache(none, "kernel", kMost);
    cache.write("key", "value");
    EXPECT_FALSE(cache.read("key")) << none;
  }
}

TEST_F(FileCacheTest, a_folder_that_others_may_write_to_is_not_trusted) {
  FileCache cache(folder, "kernel", kMost);
  cache.write("key", "value");
  ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  EXPECT_FALSE(cache.read("key"));
  cache.write("other", "value");
  EXPECT_FALSE(fs::exists(cache.fileOf("other")));
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
  EXPECT_EQ(cache.read("key"), "value");
}

TEST_F(FileCacheTest, the_users_own_link_to_a_folder_is_followed_and_a_link_in_an_entrys_place_is_not) {
  FileCache cache(folder, "kernel", kMost);
  cache.write("key", "value");
  fs::create_directory_symlink(folder, root + "/link");
  FileCache linked(root + "/link", "kernel", kMost);
  EXPECT_EQ(linked.read("key"), "value");
  fs::rename(cache.fileOf("key"), root + "/elsewhere");
  fs::create_symlink(root + "/elsewhere", cache.fileOf("key"));
  EXPECT_FALSE(cache.read("key"));
}

TEST_F(FileCacheTest, a_link_that_is_somebody_elses_is_not_followed) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root can make another user's link, nothing was tested";
  FileCache(folder, "kernel", kMost).write("key", "value");
  const std::string link = root + "/link";
  fs::create_directory_symlink(folder, link);
  ASSERT_EQ(lchown(link.c_str(), 12345, 12345), 0);
  FileCache linked(link, "kernel", kMost);
  EXPECT_FALSE(linked.read("key"));
  linked.write("more", "value");
  EXPECT_FALSE(fs::exists(linked.fileOf("more")));
}

TEST_F(FileCacheTest, above_the_limit_those_used_longest_ago_go) {
  const std::string value(1000, 'v');
  {
    FileCache cache(folder, "kernel", kMost);
    for (int i = 0; i < 40; ++i) cache.write(std::to_string(i), value);
    // Used in the order of their numbers, but for the first, which was read just now.
    for (int i = 0; i < 40; ++i) {
      const timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
      ASSERT_EQ(utimensat(AT_FDCWD, cache.fileOf(std::to_string(i)).c_str(), times, 0), 0);
    }
    EXPECT_TRUE(cache.read("0"));
  }
  FileCache small(folder, "kernel", 20000);
  small.write("new", value);
  EXPECT_TRUE(small.read("new"));
  EXPECT_TRUE(small.read("0"));
  EXPECT_TRUE(small.read("39"));
  EXPECT_FALSE(small.read("1"));
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) bytes += entry.file_size();
  EXPECT_LE(bytes, 20000u);
}

TEST_F(FileCacheTest, threads_that_read_and_write_one_entry_see_whole_values_only) {
  FileCache cache(folder, "kernel", kMost);
  std::vector<std::thread> threads;
  std::atomic<int> torn{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        cache.write("key", std::string(5000, static_cast<char>('a' + t)));
        const auto value = cache.read("key");
        if (!value || value->size() != 5000 || value->find_first_not_of((*value)[0]) != std::string::npos)
          ++torn;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(torn, 0);
}

TEST(CacheFolder, is_what_the_environment_asks_for) {
  unsetenv("KADVISE_CACHE_DIR");
  setenv("HOME", "/home/u", 1);
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(cacheFolder(), "/home/u/.cache/kadvise");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(cacheFolder(), "/cache/kadvise");
  setenv("KADVISE_CACHE_DIR", "/mine", 1);
  EXPECT_EQ(cacheFolder(), "/mine");
  setenv("KADVISE_CACHE_DIR", "", 1);
  EXPECT_EQ(cacheFolder(), "");
}

}  // namespace
}  // namespace kadvise
