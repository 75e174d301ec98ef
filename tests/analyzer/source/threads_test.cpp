#include "analyzer/source/threads.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "analyzer/source/parse.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

const std::vector<std::string> kMemory = {"cuda/uncoalesced-access", "cuda/bank-conflict"};
const std::vector<std::string> kBarriers = {"cuda/barrier-divergent", "cuda/return-before-barrier"};

// Lines of a kernel's body that are reported, for a block of 256 threads.
std::vector<int> linesOf(const std::string& body, const std::vector<std::string>& rules,
                         const std::string& block = "256") {
  auto r = linted(
      "struct Args { float* x; int n; };\n__global__ void k(float* x, const int* index, int n, Args args) "
      "{\n" +
          body + "}\nvoid run(float* x, int* i, Args a) { k<<<8, " + block + ">>>(x, i, 100, a); }\n",
      rules);
  EXPECT_TRUE(r.parsed.errors.empty()) << r.parsed.errors[0].message;
  std::vector<int> out;
  for (auto& f : r.findings) {
    out.push_back(f.where.line - 2);
    for (auto& l : f.related)
      if (l.note == "and here") out.push_back(l.line - 2);
  }
  return out;
}

using Lines = std::vector<int>;

TEST(UncoalescedAccess, IsAStrideAndNotAnOffset) {
  EXPECT_EQ(
      linesOf(
          "int i = threadIdx.x;\nx[i * n + 1] = 1.f;\nx[i + n] = 1.f;\nx[n - i] = 1.f;\nx[i * 16] = 1.f;\n",
          kMemory),
      (Lines{2, 5}));
}

TEST(UncoalescedAccess, IsFollowedThroughPointersAndCasts) {
  EXPECT_EQ(
      linesOf("float* row = x + threadIdx.x * n;\nrow[3] = 1.f;\nfloat* p = x + n;\np[threadIdx.x] = 1.f;\n"
              "reinterpret_cast<float4*>(x)[threadIdx.x] = make_float4(1, 2, 3, 4);\n*(x + (long)threadIdx.x "
              "* 64) = 1.f;\n",
              kMemory),
      (Lines{2, 6}));
}

TEST(UncoalescedAccess, DividedIndicesAreEvaluated) {
  // A warp covers rows of 16 and 32 elements whole; rows of 4 that lie far apart it does not.
  EXPECT_EQ(linesOf("int i = threadIdx.x;\nx[i / 32 * n + i % 32] = 1.f;\nx[i / 16 * n + i % 16] = 1.f;\n"
                    "x[i % 32 * n + i / 32] = 1.f;\n",
                    kMemory),
            (Lines{4}));
}

TEST(UncoalescedAccess, WhatWasLoadedIsNotJudged) {
  EXPECT_EQ(
      linesOf(
          "x[index[threadIdx.x]] = 1.f;\nint j = threadIdx.x;\nif (n > 3) j = index[0];\nx[j * n] = 1.f;\n",
          kMemory),
      Lines{});
}

TEST(UncoalescedAccess, FewLanesAreLeftAlone) {
  EXPECT_EQ(linesOf("if (threadIdx.x == 0) x[threadIdx.x * n + 1] = 1.f;\nif (threadIdx.x < 4) x[threadIdx.x "
                    "* n + 1] = 1.f;\n"
                    "if (threadIdx.x < 64) x[threadIdx.x * n + 1] = 1.f;\n",
                    kMemory),
            (Lines{3}));
}

TEST(UncoalescedAccess, BlocksOfTwoDimensionsHaveTheirLanes) {
  EXPECT_EQ(linesOf("x[threadIdx.y * n + threadIdx.x] = 1.f;\nx[threadIdx.x * n + threadIdx.y] = 1.f;\n",
                    kMemory, "dim3(32, 8)"),
            (Lines{2}));
}

TEST(BankConflict, IsAColumnOfAnUnpaddedTile) {
  EXPECT_EQ(linesOf("__shared__ float a[32][32], b[32][33];\na[threadIdx.x][threadIdx.y] = "
                    "1.f;\nb[threadIdx.x][threadIdx.y] = 1.f;\n"
                    "a[threadIdx.y][threadIdx.x] = 1.f;\n",
                    kMemory, "dim3(32, 8)"),
            (Lines{2}));
}

TEST(BankConflict, ASwizzledTileHasNone) {
  EXPECT_EQ(linesOf("__shared__ float a[32 * 32];\nint r = threadIdx.x, c = threadIdx.y;\na[r * 32 + (c ^ "
                    "r)] = 1.f;\na[r * 32 + c] = 1.f;\n",
                    kMemory, "dim3(32, 8)"),
            (Lines{4}));
}

TEST(BankConflict, WideWordsAndBroadcastsHaveNone) {
  EXPECT_EQ(linesOf("__shared__ double d[256];\n__shared__ float4 f[256];\nd[threadIdx.x] = 1.0;\nfloat4 w = "
                    "f[threadIdx.x];\nx[threadIdx.x] = w.x + f[n % 7].y;\n",
                    kMemory),
            Lines{});
}

// However many accesses and samples lead there: its body is walked through once.
TEST(Courses, OfACalleeAreThoseOfAllWhoCallIt) {
  ParseRequest request;
  request.file = "test.cu";
  request.text =
      "__device__ int leaf(int i) { return i + 1; }\n"
      "__device__ int middle(int i) { return leaf(i) + leaf(i + 1); }\n"
      "__global__ void k(int* x) { x[0] = middle(leaf(0)); }\n";
  request.headers = stubSettings().headers;
  bool isLooked = false;
  parse(request, [&](const Unit& unit) {
    auto named = [&](llvm::StringRef name) -> const clang::FunctionDecl& {
      for (auto* f : unit.deviceFunctions)
        if (f->getName() == name) return *f;
      throw std::logic_error("no such function");
    };
    Courses courses(named("k"));
    auto& leaf = courses.ofCallee(named("leaf"));
    EXPECT_EQ(&leaf.function(), &named("leaf"));
    EXPECT_EQ(&courses.ofCallee(named("middle")).ofCallee(named("leaf")), &leaf);
    isLooked = true;
  });
  EXPECT_TRUE(isLooked);
}

TEST(BarrierDivergent, DependsOnTheThreadAndNotOnTheBlock) {
  EXPECT_EQ(linesOf("if (threadIdx.x < 64) __syncthreads();\nif (threadIdx.x < 256) __syncthreads();\nif (n "
                    "> 4) __syncthreads();\n"
                    "if (blockIdx.x == 0) __syncthreads();\nif (threadIdx.x + blockIdx.x * blockDim.x < n) "
                    "__syncthreads();\n",
                    kBarriers),
            (Lines{1, 5}));
}

TEST(BarrierDivergent, LoopsOfEqualTurnsAreRight) {
  EXPECT_EQ(linesOf("for (int o = blockDim.x / 2; o > 0; o >>= 1) __syncthreads();\nfor (int i = "
                    "threadIdx.x; i < n; i += 256)\n__syncthreads();\n"
                    "for (int i = 0; i < n; i += blockDim.x) __syncthreads();\n",
                    kBarriers),
            (Lines{3}));
}

TEST(BarrierDivergent, LoadedConditionsAreNotJudged) {
  EXPECT_EQ(
      linesOf("if (x[0] > 1.f) __syncthreads();\nif (index[threadIdx.x] > 0) __syncthreads();\n", kBarriers),
      Lines{});
}

TEST(ReturnBeforeBarrier, CountsOnlyWithABarrierBehindIt) {
  EXPECT_EQ(
      linesOf("if (threadIdx.x >= n) return;\n__syncthreads();\nif (threadIdx.x > 3) return;\nx[0] = 1.f;\n",
              kBarriers),
      (Lines{1}));
}

}  // namespace
}  // namespace kadvise::source
