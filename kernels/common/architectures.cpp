#include "kernels/common/architectures.h"

namespace kadvise {
namespace {

constexpr double kGB = 1e9;
constexpr std::int64_t kKiB = 1024, kMiB = 1024 * 1024;

// Sources: NVIDIA's data sheets and white papers of the models; shared memory from the CUDA C++ Programming
// Guide, "Compute Capabilities". The share of a copy is measured on an H200, 4.3 of 4.8 TB/s; others are
// taken to be alike.
// clang-format off
constexpr Architecture kArchitectures[] = {
    // arch model       DRAM        copied  SMs  shared/block  L2         in flight    clusters bulk
    {80,  "A100",      2039 * kGB,  0.90,  108, 163 * kKiB,    40 * kMiB, 16 * kKiB,   false,   false},
    {86,  "RTX 3090",   936 * kGB,  0.90,   82,  99 * kKiB,     6 * kMiB, 12 * kKiB,   false,   false},
    {89,  "RTX 4090",  1008 * kGB,  0.90,  128,  99 * kKiB,    72 * kMiB, 12 * kKiB,   false,   false},
    {90,  "H200",      4800 * kGB,  0.90,  132, 227 * kKiB,    50 * kMiB, 48 * kKiB,   true,    true},
    {100, "B200",      7700 * kGB,  0.90,  148, 227 * kKiB,   126 * kMiB, 64 * kKiB,   true,    true},
    {120, "RTX 5090",  1792 * kGB,  0.90,  170,  99 * kKiB,    96 * kMiB, 16 * kKiB,   true,    true},
};
// clang-format on

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

const Architecture& architectureOf(int arch) {
  const Architecture* best = kArchitectures;
  for (const Architecture& one : kArchitectures) {
    if (one.arch <= arch) best = &one;
  }
  return *best;
}

}  // namespace kadvise
