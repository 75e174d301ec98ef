#include "analyzer/source/compile_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "analyzer/source/compile_database.h"
#include "tests/analyzer/core/temporary_folder.h"

namespace kadvise::source {
namespace {

bool has(const CompileCommand& c, const std::string& argument) {
  return std::find(c.arguments.begin(), c.arguments.end(), argument) != c.arguments.end();
}

CompileCommand translated(const std::string& call) { return translate(shellWords(call), "/build"); }

TEST(ShellWords, QuotesAndBackslashesAreTakenAsAShellTakesThem) {
  EXPECT_EQ(shellWords(R"(nvcc -DA="b c" 'd e' f\ g "")"),
            (std::vector<std::string>{"nvcc", "-DA=b c", "d e", "f g", ""}));
}

TEST(CompileCommand, OptionsOfNvccBecomeThoseOfClang) {
  auto c = translated(
      "/usr/local/cuda/bin/nvcc -forward-unknown-to-host-compiler -DN=4 --define-macro M=2 -I/a "
      "--include-path /b "
      "-isystem=/c --system-include /d --expt-relaxed-constexpr -ccbin g++ -Xptxas -v -std=c++20 -rdc=true "
      "-x cu -c k.cu -o k.o");
  for (auto* word : {"-DN=4", "-DM=2", "-I/a", "-I/b", "/c", "/d", "-std=c++20", "-fgpu-rdc"})
    EXPECT_TRUE(has(c, word)) << word;
  for (auto* word : {"-o", "k.o", "g++", "-v", "k.cu", "--expt-relaxed-constexpr"})
    EXPECT_FALSE(has(c, word)) << word;
  EXPECT_TRUE(c.forCuda);
  EXPECT_EQ(c.toolkit, "/usr/local/cuda");
}

TEST(CompileCommand, PrecompiledHeadersOfCMakeAreReadAsText) {
  auto c = translated(
      "clang++ -Xclang -include-pch -Xclang /b/all.pch -Xclang -include -Xclang /b/all.hxx -c a.cpp");
  EXPECT_TRUE(has(c, "/b/all.hxx"));
  EXPECT_FALSE(has(c, "/b/all.pch"));
  EXPECT_FALSE(has(c, "-Xclang"));
}

TEST(CompileCommand, TheNewestArchitectureCounts) {
  EXPECT_EQ(
      translated("nvcc -gencode arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a k.cu").arch,
      90);
  EXPECT_EQ(translated("nvcc --generate-code=arch=compute_75,code=[compute_75,sm_75] k.cu").arch, 75);
  EXPECT_EQ(translated("nvcc -arch=native k.cu").arch, 0);
}

TEST(CompileCommand, WhatIsMeantForTheHostCompilerIsLookedInto) {
  auto c =
      translated("nvcc -Xcompiler -fopenmp,-DHOST=1 --compiler-options '-Wall -fPIC' --use_fast_math k.cu");
  EXPECT_TRUE(has(c, "-fopenmp"));
  EXPECT_TRUE(has(c, "-DHOST=1"));
  EXPECT_TRUE(c.fastMath);
}

TEST(CompileCommand, NothingThatWouldLoadOrRunCodeIsTakenOver) {
  auto c = translated(
      "clang++ -fplugin=/evil.so -Xclang -load -Xclang /evil.so -fpass-plugin=/evil.so -B/evil -wrapper "
      "/evil k.cu");
  EXPECT_TRUE(c.arguments.empty());
}

TEST(CompileCommand, OfTwoJoinedCallsTheFirstCounts) {
  auto c = translated("nvcc -DFIRST k.cu && nvcc -DSECOND k.cu");
  EXPECT_TRUE(has(c, "-DFIRST"));
  EXPECT_FALSE(has(c, "-DSECOND"));
}

TEST(CompileCommand, ResponseFilesAreReadAndMayNotRecurForEver) {
  test::TemporaryFolder folder;
  std::ofstream(folder.path / "all.rsp") << "-I/from/file @all.rsp -DX=1";
  auto c = translate({"nvcc", "--options-file", "all.rsp", "k.cu"}, folder.path);
  EXPECT_TRUE(has(c, "-I/from/file"));
  EXPECT_TRUE(has(c, "-DX=1"));
  EXPECT_TRUE(translate({"nvcc", "@missing.rsp"}, folder.path).arguments.empty());
}

TEST(CompileDatabase, AHeaderTakesTheCallOfTheSourceBesideIt) {
  test::TemporaryFolder folder;
  std::ofstream(folder.path / "compile_commands.json")
      << R"([
    {"directory": ")"
      << folder.path.string() << R"(", "file": "far/b.cu", "command": "nvcc -DFAR far/b.cu"},
    {"directory": ")"
      << folder.path.string() << R"(", "file": "near dir/a.cu", "arguments": ["nvcc", "-DNEAR", "a.cu"]},
    {"file": 3}, 7])";
  auto database = CompileDatabase::read(folder.path / "compile_commands.json");
  EXPECT_TRUE(has(*database.of(folder.path / "near dir/a.cu"), "-DNEAR"));
  EXPECT_TRUE(has(*database.of(folder.path / "near dir/a.cuh"), "-DNEAR"));
  EXPECT_TRUE(has(*database.of(folder.path / "far/b.cu"), "-DFAR"));
}

TEST(CompileDatabase, APrecompiledHeaderIsOfItsOwnSourcesOnly) {
  test::TemporaryFolder folder;
  std::ofstream(folder.path / "compile_commands.json")
      << R"([{"directory": ")" << folder.path.string()
      << R"(", "file": "a.cpp", "command": "g++ -include b/cmake_pch.hxx -include config.h -c a.cpp"}])";
  auto database = CompileDatabase::read(folder.path / "compile_commands.json");
  auto own = *database.of(folder.path / "a.cpp"), other = *database.of(folder.path / "a.cu");
  auto forced = [](const CompileCommand& c) {
    return std::count(c.arguments.begin(), c.arguments.end(), "-include");
  };
  EXPECT_EQ(forced(own), 2);
  EXPECT_EQ(forced(other), 1);
}

TEST(Language, OfAHeaderIsWhatItsTextLooksLike) {
  EXPECT_EQ(languageOf("a.cuh", ""), Language::Cuda);
  EXPECT_EQ(languageOf("a.h", "__device__ int f();"), Language::Cuda);
  EXPECT_EQ(languageOf("a.h", "int f();"), Language::Cxx);
  for (auto* name : {"a.hh", "a.hpp", "a.hxx", "a.inl"}) {
    EXPECT_EQ(languageOf(name, "__device__ int f();"), Language::Cuda) << name;
    EXPECT_EQ(languageOf(name, "int f();"), Language::Cxx) << name;
  }
  EXPECT_EQ(languageOf("a.cpp", "// threadIdx"), Language::Cxx);
  EXPECT_EQ(languageOf("a.cu.cc", ""), Language::Cuda);
  EXPECT_EQ(languageOf("a.b.cc", ""), Language::Cxx);
}

}  // namespace
}  // namespace kadvise::source
