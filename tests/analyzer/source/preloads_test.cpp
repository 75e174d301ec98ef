#include "analyzer/source/preloads.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <fstream>

#include "analyzer/source/attempt.h"
#include "analyzer/source/preload_files.h"
#include "analyzer/source/preload_set.h"
#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {
namespace fs = std::filesystem;

const char* const kText = R"(
#include <cuda_fp16.h>
__global__ void k(__half* x) { x[threadIdx.x] = __float2half(1.f); }
void run() { k<<<1, 2048>>>(nullptr); }
)";
const char* const kRule = "cuda/block-too-large";

std::vector<fs::path> headersIn(const fs::path& folder) {
  std::vector<fs::path> out;
  for (auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".pch") out.push_back(entry.path());
  return out;
}

LintResult lintedWith(Preloads& preloads, const std::string& text, std::optional<CompileCommand> build = {}) {
  LintSettings settings = stubSettings();
  settings.preloads = &preloads;
  return lintFile(rulesNamed({kRule}), settings, {"test.cu", text, std::move(build)});
}

struct PreloadsTest : testing::Test {
  test::TemporaryFolder cache;
  fs::path folder = cache.path / "headers";
};

TEST_F(PreloadsTest, WhatIsFoundIsTheSameWithAndWithout) {
  LintSettings without = stubSettings();
  without.preloads = nullptr;
  LintResult plain = lintFile(rulesNamed({kRule}), without, {"test.cu", kText, std::nullopt});
  for (int run = 0; run < 2; ++run) {
    Preloads preloads(folder);
    LintResult loaded = lintedWith(preloads, kText);
    ASSERT_EQ(loaded.findings.size(), 1u);
    EXPECT_EQ(loaded.findings[0].id, plain.findings[0].id);
    EXPECT_EQ(loaded.parsed.errorCount, 0);
    EXPECT_EQ(loaded.kernels, 1);
    EXPECT_EQ(headersIn(folder).size(), 1u);
  }
}

// It declares more than the file includes.
TEST_F(PreloadsTest, NoNameHangsOnWhetherOneCouldBeMade) {
  const std::string text =
      "#include <cooperative_groups.h>\n__global__ void k(__nv_bfloat16* x) { x[0] = 1.f; }\n";
  Preloads made(folder), none(fs::path{});
  EXPECT_EQ(lintedWith(made, text).parsed.errorCount, 0);
  EXPECT_EQ(headersIn(folder).size(), 1u);
  EXPECT_EQ(lintedWith(none, text).parsed.errorCount, 0);
}

TEST_F(PreloadsTest, ADamagedOneIsMadeAgain) {
  {
    Preloads first(folder);
    lintedWith(first, kText);
  }
  auto header = headersIn(folder).at(0);
  auto size = fs::file_size(header);
  for (auto damage : {0, 1, 2}) {
    if (damage == 0) fs::resize_file(header, size / 2);
    if (damage == 1)
      std::fstream(header, std::ios::in | std::ios::out | std::ios::binary).seekp(size / 2) << "xxxx";
    if (damage == 2) std::ofstream(fs::path(header).replace_extension(".list")) << "nonsense";
    Preloads again(folder);
    EXPECT_EQ(lintedWith(again, kText).findings.size(), 1u);
    EXPECT_EQ(fs::file_size(header), size);
  }
}

// For room, by another process.
TEST_F(PreloadsTest, OneThatWasRemovedMeanwhileIsMadeAgain) {
  Preloads preloads(folder);
  lintedWith(preloads, kText);
  for (std::size_t left : {1, 0}) {  // a second time it goes without
    removePreload(headersIn(folder).at(0));
    EXPECT_EQ(lintedWith(preloads, kText).findings.size(), 1u);
    EXPECT_EQ(headersIn(folder).size(), left);
  }
}

TEST_F(PreloadsTest, AFolderOfSomebodyElseIsLeftAlone) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::all);
  Preloads open(folder);
  EXPECT_EQ(lintedWith(open, kText).findings.size(), 1u);
  EXPECT_TRUE(headersIn(folder).empty());
  fs::permissions(folder, fs::perms::owner_all);
  fs::create_directory_symlink(folder, cache.path / "link");
  Preloads linked(cache.path / "link");
  lintedWith(linked, kText);
  EXPECT_TRUE(headersIn(folder).empty());
}

TEST_F(PreloadsTest, NothingOfTheUsersFoldersGoesIntoThem) {
  fs::path mine = cache.path / "include";
  fs::create_directories(mine);
  std::ofstream(mine / "cuda_fp16.h") << "struct __half {}; __device__ __half __float2half(float);";
  Preloads preloads(folder);
  CompileCommand build;
  build.arguments = {"-I" + mine.string()};
  EXPECT_EQ(lintedWith(preloads, kText, build).findings.size(), 1u);
  EXPECT_TRUE(!fs::exists(folder) || headersIn(folder).empty());
}

TEST_F(PreloadsTest, MacrosOfABuildCount) {
  Preloads preloads(folder);
  CompileCommand build;
  build.arguments = {"-DTHREADS=2048"};
  const char* text = "__global__ void k() {}\nvoid run() { k<<<1, THREADS>>>(); }\n";
  EXPECT_EQ(lintedWith(preloads, text, build).findings.size(), 1u);
  build.arguments = {"-DTHREADS=32"};
  EXPECT_EQ(lintedWith(preloads, text, build).findings.size(), 0u);
  build.arguments = {"-DTORCH_EXTENSION_NAME=a", "-DTHREADS=32"};
  lintedWith(preloads, text, build);
  EXPECT_EQ(headersIn(folder).size(), 2u);
}

// As a process leaves it that ends while it makes a header.
void leaveMarks(const fs::path& folder, const std::vector<std::string>& runs) {
  {
    Preloads first(folder);
    lintedWith(first, kText);
  }
  auto header = headersIn(folder).at(0);
  fs::remove(header);
  std::ofstream mark(folder / (header.stem().string() + ".tried.tmp"));
  for (auto& run : runs) mark << run << "\n";
}

TEST_F(PreloadsTest, AfterAStoppedRunTheNextOneMakesItAgain) {
  leaveMarks(folder, {"4194999 1"});  // no process has that number
  Preloads again(folder);
  EXPECT_EQ(lintedWith(again, kText).findings.size(), 1u);
  EXPECT_EQ(headersIn(folder).size(), 1u);
  for (auto& entry : fs::directory_iterator(folder))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

TEST_F(PreloadsTest, WhatEndedAProcessOfARunThatGoesOnIsLeftAlone) {
  leaveMarks(folder, {lifeOf(::getpid())});
  Preloads again(folder);
  EXPECT_EQ(lintedWith(again, kText).findings.size(), 1u);
  EXPECT_TRUE(headersIn(folder).empty());
}

TEST_F(PreloadsTest, AfterThreeStoppedRunsItIsLeftAloneForADay) {
  leaveMarks(folder, {"4194999 1", "4194999 2", "4194999 3"});
  {
    Preloads again(folder);
    lintedWith(again, kText);
    EXPECT_TRUE(headersIn(folder).empty());
  }
  for (auto& entry : fs::directory_iterator(folder))
    fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(25));
  Preloads later(folder);
  lintedWith(later, kText);
  EXPECT_EQ(headersIn(folder).size(), 1u);
}

TEST_F(PreloadsTest, OnlySoManyAreKept) {
  Preloads preloads(folder);
  for (int i = 0; i < 10; ++i) {
    CompileCommand build;
    build.arguments = {"-DN=" + std::to_string(i)};
    lintedWith(preloads, "__global__ void k() {}\n", build);
  }
  EXPECT_EQ(headersIn(folder).size(), 8u);
}

TEST_F(PreloadsTest, NamesThatAFileDidNotAskForAreNotThere) {
  Preloads preloads(folder);
  LintResult r =
      lintedWith(preloads, "struct half { float v; };\n__global__ void k(half* x) { x[0].v = 1.f; }\n");
  EXPECT_EQ(r.parsed.errorCount, 0);
}

}  // namespace
}  // namespace kadvise::source
