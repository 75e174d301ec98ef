// The simulation of a block: that its runs agree with each other, and end.
#include <gtest/gtest.h>

#include <memory>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

std::vector<std::string> racesIn(const std::string& text) {
  std::vector<std::string> out;
  for (auto& f : linted(text, {"cuda/missing-barrier"}).findings) out.push_back(f.where.scope);
  return out;
}

// Whether it has a race depends on which way the simulation takes both conditions.
std::string barriersByChoice(int n) {
  std::string i = std::to_string(n);
  return "__global__ void k" + i + "(float* out, bool a" + i + ", bool b" + i +
         ") {\n"
         "  __shared__ float s[256];\n"
         "  s[threadIdx.x] = out[threadIdx.x];\n"
         "  if (a" +
         i + ") __syncthreads();\n  if (b" + i +
         ") __syncthreads();\n"
         "  out[threadIdx.x] = s[255 - threadIdx.x];\n}\n";
}

TEST(BlockRun, DoesNotDependOnWhereTheSyntaxTreeLies) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += barriersByChoice(i);
  auto first = racesIn(text);
  std::vector<std::unique_ptr<char[]>> between;  // the next tree lies elsewhere
  for (int i = 0; i < 3; ++i) {
    between.push_back(std::make_unique<char[]>(5000 + 4096 * static_cast<std::size_t>(i)));
    EXPECT_EQ(racesIn("// " + std::string(static_cast<std::size_t>(i), '-') + "\n" + text), first);
  }
}

TEST(BlockRun, EndsWhereEndlessLoopsAreNested) {
  std::string loops;
  for (int i = 0; i < 40; ++i) loops += "for (;;) ";
  auto races = racesIn(
      "__global__ void deep(float* out) {\n  __shared__ float s[256];\n  s[threadIdx.x] = 1;\n  " + loops +
      ";\n}\n"
      "__global__ void race(float* out) {\n  __shared__ float s[256];\n  s[threadIdx.x] = out[threadIdx.x];\n"
      "  out[threadIdx.x] = s[255 - threadIdx.x];\n}\n");
  EXPECT_EQ(races, std::vector<std::string>{"race"});
}

}  // namespace
}  // namespace kadvise::source
