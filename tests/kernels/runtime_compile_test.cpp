// CUDA text compiled at run time: by the real compiler, which needs no GPU, and from the cache of files.
//
// Which library and which folder are used is settled once a process, so what depends on it runs in children.
#include "kernels/common/file_cache.h"
#include "kernels/runtime_compile/compile.h"
#include "kernels/runtime_compile/nvrtc_library.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

namespace kadvise {
namespace {

namespace fs = std::filesystem;

const std::string kText = R"(extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2.0f; })";

bool hasCompiler() {
  std::string problem;
  return nvrtc(problem) != nullptr;
}

// What a child with these settings answers.
std::string inChild(const std::vector<std::pair<std::string, std::string>>& environment,
                    const std::function<std::string()>& action) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    const std::string answer = action();
    const bool said = write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
    _exit(said ? 0 : 1);
  }
  close(ends[1]);
  std::string answer;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;)
    answer.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? answer : "the child died";
}

struct RuntimeCompile : testing::Test {
  void SetUp() override {
    if (inChild({}, [] { return hasCompiler() ? "yes" : "no"; }) != "yes")
      GTEST_SKIP() << "SKIPPED: no NVRTC on this machine, nothing was tested";
    std::string pattern = (fs::temp_directory_path() / "kadvise-compile-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string compiled(const std::string& text, int arch,
                       std::vector<std::pair<std::string, std::string>> more = {}) {
    more.emplace_back("KADVISE_CACHE_DIR", folder);
    return inChild(more, [&] {
      const Compiled result = compileFor(text, arch);
      return result.problem.empty() ? result.image.substr(0, 4) : result.problem;
    });
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  std::string folder;
};

const std::string kElf =
    "\x7f"
    "ELF";

TEST_F(RuntimeCompile, gives_a_cubin_for_each_architecture_of_the_table) {
  for (const int arch : {80, 86, 89, 90, 100, 120}) EXPECT_EQ(compiled(kText, arch), kElf) << arch;
  EXPECT_EQ(entries(), 6u);
}

TEST_F(RuntimeCompile, gives_ptx_for_an_architecture_newer_than_the_compiler) {
  EXPECT_EQ(compiled(kText, 990).substr(0, 2), "//");
}

TEST_F(RuntimeCompile, says_what_the_compiler_says_and_keeps_nothing) {
  const std::string problem = compiled("extern \"C\" __global__ void f() { nonsense; }", 90);
  EXPECT_NE(problem.find("generated.cu(1)"), std::string::npos) << problem;
  EXPECT_NE(problem.find("nonsense"), std::string::npos) << problem;
  EXPECT_EQ(entries(), 0u);
}

TEST_F(RuntimeCompile, a_kept_result_is_used_and_a_changed_one_is_not) {
  EXPECT_EQ(compiled(kText, 90), kElf);
  ASSERT_EQ(entries(), 1u);
  const fs::path file = fs::directory_iterator(folder)->path();
  const auto size = fs::file_size(file);
  fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(compiled(kText, 90), kElf);
  EXPECT_GT(fs::last_write_time(file), fs::file_time_type::clock::now() - std::chrono::minutes(1))
      << "marked as used";
  fs::resize_file(file, size / 2);
  EXPECT_EQ(compiled(kText, 90), kElf);
  EXPECT_EQ(fs::file_size(file), size) << "made and kept anew";
}

TEST_F(RuntimeCompile, what_is_kept_needs_no_compiler) {
  const auto isKept = [&] {
    return inChild({{"KADVISE_CACHE_DIR", folder}}, [] { return isCompiled(kText, 90) ? "yes" : "no"; });
  };
  EXPECT_EQ(isKept(), "no");
  EXPECT_EQ(compiled(kText, 90), kElf);
  EXPECT_EQ(isKept(), "yes");
  EXPECT_EQ(compiled(kText, 90, {{"KADVISE_NVRTC", ""}}), kElf);
  EXPECT_NE(compiled(kText, 80, {{"KADVISE_NVRTC", ""}}), kElf) << "kept for another architecture";
  EXPECT_NE(compiled(kText, 90, {{"KADVISE_NVRTC", "/nowhere/libnvrtc.so"}}), kElf)
      << "kept from another compiler";
}

TEST_F(RuntimeCompile, without_a_compiler_a_sentence_says_so) {
  EXPECT_EQ(compiled(kText, 90, {{"KADVISE_NVRTC", ""}}),
            "KADVISE_NVRTC is set and empty, which switches NVRTC off");
  const std::string missing = compiled(kText, 90, {{"KADVISE_NVRTC", "/nowhere/libnvrtc.so"}});
  EXPECT_NE(missing.find("/nowhere/libnvrtc.so"), std::string::npos) << missing;
  const std::string other = compiled(kText, 90, {{"KADVISE_NVRTC", "libm.so.6"}});
  EXPECT_NE(other.find("lacks functions of CUDA 13"), std::string::npos) << other;
}

TEST_F(RuntimeCompile, works_from_many_threads_at_once) {
  const std::string answer = inChild({{"KADVISE_CACHE_DIR", folder}}, [] {
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        const std::string text = kText + "// " + std::to_string(i % 4) + "\n";
        good += compileFor(text, 90).image.starts_with(kElf);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return std::to_string(good);
  });
  EXPECT_EQ(answer, "8");
}

}  // namespace
}  // namespace kadvise
