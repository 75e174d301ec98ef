#include "analyzer/source/build_scripts.h"

#include <gtest/gtest.h>

#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {
namespace fs = std::filesystem;
using test::TemporaryFolder;

// What a script says of src/k.cu below it.
ScriptFlags flagsOf(const TemporaryFolder& folder, const std::string& script, const std::string& text) {
  folder.write("src/k.cu", "");
  folder.write("README.md", "");
  folder.write(script, text);
  return scriptFlags(folder.path / "src/k.cu");
}

bool defines(const ScriptFlags& flags, const std::string& line) {
  return flags.macros.text().find("#define " + line + "\n") != std::string::npos;
}

bool mentions(const ScriptFlags& flags, const std::string& name) {
  return flags.macros.text().find(name) != std::string::npos;
}

LintResult lintedFile(const TemporaryFolder& folder, const std::string& name, const std::string& text,
                      const std::vector<std::string>& rules) {
  return linted(text, rules, folder.write(name, text).string());
}

constexpr const char* kBroken =
    "__global__ void k(float* x) { x[0] = 1; }\nvoid run(float* x) { k<<<1, THREADS>>>(x); }\n";

TEST(BuildScripts, MacrosOfAnExtensionComeFromItsSetup) {
  TemporaryFolder folder;
  folder.write(
      "setup.py",
      "from setuptools import setup\n"
      "setup(ext_modules=[CUDAExtension('m', ['csrc/k.cu'], define_macros=[('THREADS', '2048')])])\n");
  auto r = lintedFile(folder, "csrc/k.cu", kBroken, {"cuda/block-too-large"});
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_EQ(r.findings.size(), 1u);
  ASSERT_FALSE(r.parsed.dependencies.empty());
  EXPECT_EQ(r.parsed.dependencies.back(), (folder.path / "setup.py").string());
}

// HAVE_MKL needs headers that are not here.
TEST(BuildScripts, WhereAllMacrosBreakAFileThoseThatItsErrorsNameRemain) {
  TemporaryFolder folder;
  folder.write("CMakeLists.txt", "add_definitions(-DHAVE_MKL -DTHREADS=WARPS*32 -DWARPS=64)\n");
  auto r = lintedFile(folder, "k.cu",
                      std::string(kBroken) + "#ifdef HAVE_MKL\n#include <mkl.h>\nMKL_INT a, b;\n#endif\n",
                      {"cuda/block-too-large"});
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_EQ(r.findings.size(), 1u);
}

// Macros are for what would not be read without them: a file that is whole stays as it is.
TEST(BuildScripts, AFileThatIsWholeNeedsNone) {
  TemporaryFolder folder;
  folder.write("CMakeLists.txt", "add_compile_definitions(THREADS=2048)\n");
  auto r = lintedFile(folder, "k.cu", std::string("#ifndef THREADS\n#define THREADS 256\n#endif\n") + kBroken,
                      {"cuda/block-too-large"});
  EXPECT_TRUE(r.findings.empty());
}

// No error says what is left out without it. CUDA sources have it anyway.
TEST(BuildScripts, WhatTurnsCudaOnIsThereInFilesThatAreWholeWithoutIt) {
  TemporaryFolder folder;
  folder.write(
      "setup.py",
      "macros = []\nif torch.cuda.is_available():\n    macros += [('WITH_CUDA', None), ('FAST', None)]\n"
      "setup(ext_modules=[CUDAExtension('m', ['op.cpp'], define_macros=macros)])\n");
  const std::string text =
      "#include <torch/extension.h>\nvoid op(at::Tensor x) {\n#ifdef WITH_CUDA\n  x.data<float>();\n#endif\n"
      "#ifdef FAST\n  x.data<double>();\n#endif\n";
  auto r = lintedFile(folder, "op.cpp", text + "}\n", {"libtorch/deprecated-data"});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_TRUE(r.findings[0].related.empty());
  auto broken = lintedFile(folder, "op.cpp", text + "#ifdef WITH_CUDA\n  missing();\n#endif\n}\n", {});
  EXPECT_EQ(broken.parsed.errorCount, 0);
}

TEST(BuildScripts, PairsAndFlagsOfPythonAreRead) {
  TemporaryFolder folder;
  auto flags = flagsOf(folder, "setup.py", R"(
"""What it is: -DIN_A_DESCRIPTION=1"""
import os
width = 64
define_macros = [("WITH_IT", None), ('SIZE', '3'), ("WIDTH", width), ("OTHER", os.environ["X"])]
pairs = [("not", "one")]
if os.name == "nt":
    define_macros += [("ON_WINDOWS", None), ("ALIGNED", 16)]
flags = {"nvcc": ["-O3", "-DROWS=4 -DCOLUMNS=8", f"-DTILE={width}", f"-DNOBODY={knows}", "-D", "DEPTH=2"],  # "-DNO=1"
         "cxx": ["-DBY=" + str(width), "-D_N_=5", "-D_FORTIFY_SOURCE=2", '-DNAME="x y"']}
)");
  for (auto* line : {"WITH_IT 1", "SIZE 3", "WIDTH 64", "ALIGNED 16", "ROWS 4", "COLUMNS 8", "TILE 64",
                     "DEPTH 2", "_N_ 5"})
    EXPECT_TRUE(defines(flags, line)) << line << "\n" << flags.macros.text();
  for (auto* name : {"IN_A_DESCRIPTION", "OTHER", "not", "ON_WINDOWS", "NOBODY", "NO ", "BY", "FORTIFY"})
    EXPECT_FALSE(mentions(flags, name)) << name << "\n" << flags.macros.text();
}

// By an f-string as well: which version is meant, only a run would tell.
TEST(BuildScripts, PythonThatCompilesTheSourceWhenItRunsCounts) {
  TemporaryFolder folder;
  const std::string load =
      "B, T_MAX = 8, 1024\nT_MAX = 4\nload(name='k', sources=[f'src/k{V}.cu'], "
      "extra_cuda_cflags=['--use_fast_math', f'-DTmax={T_MAX}'])\n";
  folder.write("other.py", "load(sources=['src/other.cu'], extra_cuda_cflags=['-DELSEWHERE=1'])\n");
  folder.write("src/k2.cu", "");
  folder.write("LICENSE", "");
  folder.write("run.py", load);
  auto flags = scriptFlags(folder.path / "src/k2.cu");
  EXPECT_EQ(flags.macros.text(), "#ifndef Tmax\n#define Tmax 1024\n#endif\n");
  EXPECT_TRUE(flags.fastMath);
  EXPECT_EQ(flags.asked.there, std::vector<fs::path>{folder.path / "run.py"});
}

// Lists that are joined, of folders that are searched, and of names without their ending.
TEST(BuildScripts, SourcesThatAScriptPutsTogetherCount) {
  for (std::string sources :
       {"glob.glob('src/*.cu') + ['a.cpp']", "['a.cpp'] + sorted(Path('src').glob('k*.cu'))",
        "other + ['src/' + name + '.cu' for name in names]",
        "[f for f in files if f.endswith('.cu')] + ['a.cpp']"}) {
    TemporaryFolder folder;
    auto text = "load(sources=" + sources + ", define_macros=more + [('ROWS', '4')])\n";
    EXPECT_TRUE(
        mentions(flagsOf(folder, "run.py", "from torch.utils.cpp_extension import load\n" + text), "ROWS 4"))
        << sources;
    EXPECT_FALSE(mentions(flagsOf(folder, "run.py", text), "ROWS")) << "compiles nothing: " << sources;
  }
  TemporaryFolder folder;
  EXPECT_FALSE(mentions(
      flagsOf(folder, "run.py", "import cpp_extension\nload(glob('src/q*.cu'), ['-DROWS=4'])\n"), "ROWS"));
}

TEST(BuildScripts, DefinitionsOfCMakeAreRead) {
  TemporaryFolder folder;
  auto flags = flagsOf(folder, "CMakeLists.txt", R"cmake(
# add_definitions(-DIN_A_COMMENT=1)
set(WIDTH 64)
option(USE_X "" OFF)
target_compile_definitions(k PRIVATE ROWS=4 "COLUMNS=${WIDTH}" PUBLIC ENABLED -DOLD=1 UNKNOWN=${FROM_OUTSIDE})
add_definitions(-DTILE=8)
set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -O3 -DDEPTH=2 --use_fast_math")
if(USE_X)
  add_compile_definitions(HAVE_X LIMIT=5)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -DNOT_OURS=1 .)
)cmake");
  for (auto* line : {"ROWS 4", "COLUMNS 64", "ENABLED 1", "OLD 1", "TILE 8", "DEPTH 2", "LIMIT 5"})
    EXPECT_TRUE(defines(flags, line)) << line << "\n" << flags.macros.text();
  for (auto* name : {"IN_A_COMMENT", "UNKNOWN", "HAVE_X", "NOT_OURS", "PUBLIC"})
    EXPECT_FALSE(mentions(flags, name)) << name << "\n" << flags.macros.text();
  EXPECT_TRUE(flags.fastMath);
}

TEST(BuildScripts, FastMathOfTheSetupMakesRulesOfPreciseMathSilent) {
  std::string text = "__global__ void k(float* x, float a) { x[0] = sinf(a) * cosf(a); }\n";
  for (bool isFast : {false, true}) {
    TemporaryFolder folder;
    folder.write("setup.py",
                 isFast ? "args = {'nvcc': ['--use_fast_math']}\n" : "args = {'nvcc': ['-O3']}\n");
    EXPECT_EQ(lintedFile(folder, "k.cu", text, {"cuda/sine-and-cosine"}).findings.size(), isFast ? 0u : 1u);
  }
}

TEST(BuildScripts, NothingOfThemIsRunAndNoTextIsTooOdd) {
  TemporaryFolder folder;
  fs::path mark = folder.path / "ran";
  for (std::string text :
       {"execute_process(COMMAND touch " + mark.string() + ")",
        std::string("set(A ${A})\nadd_definitions(-DX=${A})"), std::string("add_definitions("),
        std::string("target_compile_definitions()"), std::string("\"")})
    flagsOf(folder, "CMakeLists.txt", text);
  for (std::string text :
       {"import os\nos.system('touch " + mark.string() + "')", std::string("define_macros=[(("),
        std::string(")]}define_macros"), std::string("'"), std::string("f\"-D{\""), std::string("'''"),
        std::string("\"-D\"")})
    flagsOf(folder, "setup.py", text);
  EXPECT_FALSE(fs::exists(mark));
}

TEST(BuildScripts, SourcesOfALaterStandardAreReadByIt) {
  const std::string text =
      "#include <concepts>\ntemplate <class T> concept Number = std::floating_point<T> || std::integral<T>;\n"
      "template <Number T> __global__ void k(T* x) { x[threadIdx.x] = 0; }\nvoid run(float* x) { k<<<1, "
      "32>>>(x); }\n";
  auto r = linted(text, {});
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_EQ(r.kernels, 1);
  EXPECT_EQ(r.brokenKernels, 0);
}

// The text itself shows nothing of it: what it includes does.
TEST(BuildScripts, TheStandardOfTheScriptsCounts) {
  TemporaryFolder folder;
  folder.write(
      "number.h",
      "template <class T> concept Number = sizeof(T) > 0;\ntemplate <Number T> struct Box { T value; };\n");
  folder.write("CMakeLists.txt", "set(CMAKE_CUDA_STANDARD 20)\n");
  auto r = lintedFile(folder, "k.cu",
                      "#include \"number.h\"\n__global__ void k(Box<float>* x) { x[0].value = 0; }\n", {});
  EXPECT_EQ(r.parsed.errorCount, 0);
  EXPECT_EQ(r.brokenKernels, 0);
}

// What setup.py hands to CMake is no macro of a compiler.
TEST(BuildScripts, VariablesOfCMakeAreNone) {
  TemporaryFolder folder;
  auto flags = flagsOf(folder, "setup.py",
                       "cmake_args += ['-DWIDTH=3']\nargs = [\n  '-DFP16_MODE=OFF',\n  "
                       "'-DCMAKE_BUILD_TYPE=Debug',\n  '-DROWS=4',\n]\n");
  EXPECT_EQ(flags.macros.text(), "#ifndef ROWS\n#define ROWS 4\n#endif\n");
}

// A reading that ends Clang costs what it was to make better, and no more.
TEST(BuildScripts, AReadingByTheLaterStandardThatCrashesIsNone) {
  const std::string text =
      "#if __cplusplus > 201703L\n#pragma clang __debug crash\n#endif\nconsteval int one() { return 1; }\n"
      "__global__ void k(float* x) { x[0] = 0; }\nvoid run(float* x) { k<<<1, 2048>>>(x); }\n";
  for (int i = 0; i < 2; ++i) {
    auto r = linted(text, {"cuda/block-too-large"});
    EXPECT_GT(r.parsed.errorCount, 0);
    EXPECT_EQ(r.findings.size(), 1u);
  }
}

TEST(BuildScripts, WordsInCommentsSayNothingOfTheStandard) {
  auto r = linted(
      "// requires a concept\n/* consteval */\n#if __cplusplus > 201703L\n__global__ void later() "
      "{}\n#else\nint x = nothing;\n#endif\n",
      {});
  EXPECT_EQ(r.parsed.errorCount, 1);
  EXPECT_EQ(r.kernels, 0);
}

TEST(BuildScripts, WhatTheLaterStandardWouldBreakStays) {
  auto r = linted("int requires = 1, concept = 2;\n__global__ void k(float* x) { x[0] = 0; }\n", {});
  EXPECT_EQ(r.parsed.errorCount, 0);
}

}  // namespace
}  // namespace kadvise::source
