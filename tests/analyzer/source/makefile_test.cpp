#include "analyzer/source/makefile.h"

#include <gtest/gtest.h>

#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {
namespace fs = std::filesystem;
using test::TemporaryFolder;

// What the Makefile says of k.cu beside it.
MakefileFlags flagsOf(const TemporaryFolder& folder, const std::string& makefile) {
  folder.write("k.cu", "");
  folder.write("Makefile", makefile);
  return makefileFlags(folder.path / "k.cu");
}

bool defines(const MakefileFlags& flags, const std::string& line) {
  return flags.macros.find("#define " + line + "\n") != std::string::npos;
}

LintResult lintedFile(const TemporaryFolder& folder, const std::string& name, const std::string& text,
                      const std::vector<std::string>& rules) {
  return linted(text, rules, folder.write(name, text).string());
}

TEST(Makefile, MacrosOfAKernelComeFromTheMakefileBesideIt) {
  TemporaryFolder folder;
  folder.write("Makefile", "CFLAGS = -O3 -DTHREADS=2048 -DREAL=float\nall:\n\tnvcc $(CFLAGS) k.cu\n");
  auto r =
      lintedFile(folder, "k.cu",
                 "__global__ void k(REAL* x) { x[0] = 1; }\nvoid run(REAL* x) { k<<<1, THREADS>>>(x); }\n",
                 {"cuda/block-too-large"});
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_EQ(r.brokenKernels, 0);
  EXPECT_EQ(r.findings.size(), 1u);
  ASSERT_FALSE(r.parsed.dependencies.empty());
  EXPECT_EQ(r.parsed.dependencies.back(), (folder.path / "Makefile").string());
}

TEST(Makefile, WhatTheSourceDefinesItselfStays) {
  TemporaryFolder folder;
  folder.write("Makefile", "F = -DTHREADS=32\n");
  auto r = lintedFile(folder, "k.cu",
                      "#undef THREADS\n#define THREADS 2048\n__global__ void k() {}\n"
                      "void run() { k<<<1, THREADS>>>(); }\n",
                      {"cuda/block-too-large"});
  EXPECT_EQ(r.findings.size(), 1u);
}

TEST(Makefile, FoldersOfTheProjectAreSearched) {
  TemporaryFolder folder;
  folder.write("helpers/inc/types.h", "typedef float real;\n");
  folder.write("app/Makefile", "INC := -I../helpers/inc -I/usr/include -I$(NOWHERE)/x -I../not-there\n");
  auto r = lintedFile(folder, "app/src/k.cu",
                      "#include <types.h>\n__global__ void k(real* x) { x[0] = 1; }\n", {});
  EXPECT_EQ(r.brokenKernels, 0);
  EXPECT_TRUE(r.parsed.missing.empty());
  auto flags = makefileFlags(folder.path / "app/src/k.cu");
  EXPECT_EQ(flags.folders, std::vector<fs::path>{folder.path / "helpers/inc"});
}

TEST(Makefile, VariablesContinuationsCommentsAndIncludedFilesAreRead) {
  TemporaryFolder folder;
  folder.write("common.mk", "WIDTH = 8\n");
  auto flags = flagsOf(folder,
                       "include common.mk\n# -DNO=1\nDEFS = -DA=$(WIDTH) \\\n  -D B=\"(1 + 2)\" -DC\n"
                       "DEFS += -DD='x y'  # -DNEITHER=1\n");
  for (auto* line : {"A 8", "B (1 + 2)", "C 1", "D x y"}) EXPECT_TRUE(defines(flags, line)) << line;
  EXPECT_EQ(flags.macros.find("NO"), std::string::npos);
  EXPECT_EQ(flags.macros.find("NEITHER"), std::string::npos);
  EXPECT_EQ(flags.asked.there.size(), 2u);
}

TEST(Makefile, OfSeveralVariantsTheFirstCountsAndOfConditionsOnlyValues) {
  TemporaryFolder folder;
  auto flags = flagsOf(folder,
                       "all:\n\tnvcc -DTREE=1 a.cu\n\tnvcc -DTREE=0 a.cu\n"
                       "ifeq ($(DEBUG),yes)\n  F += -DDEBUG -DSIZE=4\nendif\n");
  EXPECT_TRUE(defines(flags, "TREE 1"));
  EXPECT_TRUE(defines(flags, "SIZE 4"));
  EXPECT_EQ(flags.macros.find("DEBUG"), std::string::npos);
}

// Sources that nobody compiles without it.
TEST(Makefile, WhatTurnsCudaOnCountsInConditionsToo) {
  TemporaryFolder folder;
  auto flags = flagsOf(folder,
                       "ifeq ($(GPU), 1)\nCOMMON+= -DGPU -DUSE_CUDA\nendif\nifeq ($(X), 1)\nF += "
                       "-DDEBUG_GPU -DNO_CUDA -DCUDNN\nendif\n");
  EXPECT_EQ(flags.macros,
            "#ifndef GPU\n#define GPU 1\n#endif\n#ifndef USE_CUDA\n#define USE_CUDA 1\n#endif\n");
}

TEST(Makefile, NothingOfItIsRun) {
  TemporaryFolder folder;
  fs::path mark = folder.path / "ran";
  auto flags = flagsOf(folder, "X := $(shell touch " + mark.string() + ")\nF = -DA=$(shell touch " +
                                   mark.string() + ") -DB=`touch " + mark.string() + "` -DC=1\n");
  EXPECT_FALSE(fs::exists(mark));
  EXPECT_TRUE(defines(flags, "C 1"));
  EXPECT_EQ(flags.macros.find("touch"), std::string::npos);
}

TEST(Makefile, VariablesThatGrowOrNameThemselvesAreBounded) {
  TemporaryFolder folder;
  std::string text = "F = $(F) -DA=1\nV0 =\n";
  for (int i = 1; i < 9; ++i) {
    text += "V" + std::to_string(i) + " =";
    for (int n = 0; n < 300; ++n) text += "$(V" + std::to_string(i - 1) + ")";
    text += "\n";
  }
  auto flags = flagsOf(folder, text + "all:\n\tnvcc $(V8) -DB=2\n");
  EXPECT_TRUE(defines(flags, "A 1"));
  EXPECT_TRUE(defines(flags, "B 2"));
}

TEST(Makefile, NamesOfCompilersAreLeftToThem) {
  TemporaryFolder folder;
  auto flags = flagsOf(folder, "F = -D__CUDA_ARCH__=300 -D_WIN32 -D1A=2 -D'F(x)=x' -DOK=1\n");
  EXPECT_EQ(flags.macros, "#ifndef OK\n#define OK 1\n#endif\n");
}

TEST(Makefile, FastMathMakesRulesOfPreciseMathSilent) {
  std::string text = "__global__ void k(float* x, float a) { x[0] = sinf(a) * cosf(a); }\n";
  for (bool isFast : {false, true}) {
    TemporaryFolder folder;
    folder.write("Makefile",
                 isFast ? "ifeq ($(O),1)\n  CFLAGS += -use_fast_math\nendif\n" : "CFLAGS = -DA=1\n");
    EXPECT_EQ(lintedFile(folder, "k.cu", text, {"cuda/sine-and-cosine"}).findings.size(), isFast ? 0u : 1u);
  }
}

TEST(Makefile, ATextThatIsNoFileHasNone) {
  TemporaryFolder folder;
  folder.write("Makefile", "F = -DA=1\n");
  EXPECT_TRUE(makefileFlags(folder.path / "not-there.cu").isEmpty());
}

TEST(Makefile, TheBuildsOwnCommandsComeBeforeIt) {
  TemporaryFolder folder;
  folder.write("Makefile", "F = -DTHREADS=32\n");
  std::string text = "__global__ void k() {}\nvoid run() { k<<<1, THREADS>>>(); }\n";
  folder.write("k.cu", text);
  CompileCommand command = translate({"nvcc", "-DTHREADS=2048", "-c", "k.cu"}, folder.path);
  auto r = lintFile(rulesNamed({"cuda/block-too-large"}), stubSettings(),
                    {(folder.path / "k.cu").string(), text, command, {}, {}});
  EXPECT_EQ(r.findings.size(), 1u);
}

}  // namespace
}  // namespace kadvise::source
