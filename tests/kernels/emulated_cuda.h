// As much of CUDA as the kernels of group_norm and prefix_scan need, on the CPU: include it before them. A
// block is a thread of the operating system, so that blocks can wait for each other; its threads are fibers,
// which take turns where they meet.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <setjmp.h>
#include <ucontext.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#undef __noinline__
#undef __shared__
#undef __launch_bounds__
#undef __grid_constant__
#define __noinline__
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __grid_constant__

namespace kadvise::test::emulated {

struct Index {
  unsigned x;
};

// Where some fibers meet: the last to arrive lets all go on.
struct Meeting {
  unsigned members = 0, arrived = 0, round = 0;
};

struct Fiber {
  ucontext_t beginning;
  jmp_buf place;
  std::unique_ptr<char[]> stack;
  bool begun = false, done = false;
};

struct Block;

// Blocks that wait for each other, and write into each other's shared memory.
struct Cluster {
  unsigned blocks = 1;
  std::vector<Block*> members = std::vector<Block*>(blocks);
  std::atomic<unsigned> arrived = 0;
};

struct Block {
  Index index, grid;
  Cluster* cluster;
  unsigned threads, current = 0;
  std::vector<Fiber> fibers;
  std::vector<Meeting> warps;
  Meeting all;
  std::vector<float> exchanged, shared;
  jmp_buf scheduler;
  const std::function<void()>* kernel;
};

inline thread_local Block* block = nullptr;

// Unchecked, also where longjmp is compiled to one that refuses to go to another stack.
extern "C" [[noreturn]] void jumpTo(jmp_buf place, int value) __asm__("_longjmp");

// A context asks the operating system for its signals each time, which takes longer than what a fiber does in
// its turn: only the beginnings are contexts.
inline void yield() {
  if (_setjmp(block->fibers[block->current].place) == 0) jumpTo(block->scheduler, 1);
}

[[gnu::noinline]] inline void resume(Fiber& fiber) {
  if (_setjmp(block->scheduler) != 0) return;
  if (fiber.begun) jumpTo(fiber.place, 1);
  fiber.begun = true;
  setcontext(&fiber.beginning);
}

inline void meet(Meeting& meeting) {
  const unsigned round = meeting.round;
  if (++meeting.arrived == meeting.members) {
    meeting.arrived = 0;
    ++meeting.round;
  }
  while (meeting.round == round) yield();
}

inline void runFiber() {
  (*block->kernel)();
  block->fibers[block->current].done = true;
  yield();
}

constexpr std::size_t kStackBytes = 64 * 1024;

inline void runBlock(unsigned index, unsigned grid, unsigned threads, std::size_t sharedFloats,
                     Cluster& cluster, const std::function<void()>& kernel) {
  Block own{};
  own.index = {index};
  own.cluster = &cluster;
  cluster.members[index % cluster.blocks] = &own;
  own.grid = {grid};
  own.threads = threads;
  own.fibers.resize(threads);
  own.warps.resize(threads / 32, Meeting{32});
  own.all.members = threads;
  own.exchanged.resize(threads);
  own.shared.assign(sharedFloats, std::nanf(""));
  own.kernel = &kernel;
  block = &own;
  for (Fiber& fiber : own.fibers) {
    fiber.stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
    getcontext(&fiber.beginning);
    fiber.beginning.uc_stack.ss_sp = fiber.stack.get();
    fiber.beginning.uc_stack.ss_size = kStackBytes;
    fiber.beginning.uc_link = nullptr;
    makecontext(&fiber.beginning, runFiber, 0);
  }
  for (bool any = true; any;) {
    any = false;
    for (own.current = 0; own.current < threads; ++own.current) {
      if (own.fibers[own.current].done) continue;
      any = true;
      resume(own.fibers[own.current]);
    }
  }
}

// Cluster after cluster, and the blocks of each at once.
inline void launch(unsigned blocks, unsigned threads, std::size_t sharedFloats,
                   const std::function<void()>& kernel, unsigned blocksOfCluster = 1) {
  for (unsigned first = 0; first < blocks; first += blocksOfCluster) {
    Cluster cluster{blocksOfCluster};
    std::vector<std::thread> running;
    for (unsigned b = first; b < first + blocksOfCluster; ++b) {
      running.emplace_back([&, b] { runBlock(b, blocks, threads, sharedFloats, cluster, kernel); });
    }
    for (std::thread& thread : running) thread.join();
  }
}

inline Index threadIndex() { return {block->current}; }

}  // namespace kadvise::test::emulated

#define threadIdx (kadvise::test::emulated::threadIndex())
#define blockIdx (kadvise::test::emulated::block->index)
#define gridDim (kadvise::test::emulated::block->grid)
#define blockDim (kadvise::test::emulated::Index{kadvise::test::emulated::block->threads})

inline void __syncthreads() { kadvise::test::emulated::meet(kadvise::test::emulated::block->all); }
inline float __shfl_xor_sync(unsigned, float v, int mask) {
  auto& block = *kadvise::test::emulated::block;
  const unsigned thread = block.current;
  block.exchanged[thread] = v;
  kadvise::test::emulated::meet(block.warps[thread / 32]);
  const float other = block.exchanged[thread ^ static_cast<unsigned>(mask)];
  kadvise::test::emulated::meet(block.warps[thread / 32]);
  return other;
}
inline float __shfl_sync(unsigned, float v, int lane) {
  auto& block = *kadvise::test::emulated::block;
  const unsigned thread = block.current;
  block.exchanged[thread] = v;
  kadvise::test::emulated::meet(block.warps[thread / 32]);
  const float other = block.exchanged[thread / 32 * 32 + static_cast<unsigned>(lane)];
  kadvise::test::emulated::meet(block.warps[thread / 32]);
  return other;
}
// A lane without a source keeps its own.
template <class T>
T __shfl_down_sync(unsigned, T v, int distance) {
  auto& block = *kadvise::test::emulated::block;
  const unsigned thread = block.current, source = thread % 32 + static_cast<unsigned>(distance);
  block.exchanged[thread] = static_cast<float>(v);
  kadvise::test::emulated::meet(block.warps[thread / 32]);
  const T other = source < 32 ? static_cast<T>(block.exchanged[thread / 32 * 32 + source]) : v;
  kadvise::test::emulated::meet(block.warps[thread / 32]);
  return other;
}
inline float __shfl_up_sync(unsigned, float v, int distance) {
  auto& block = *kadvise::test::emulated::block;
  const unsigned thread = block.current, lane = thread % 32, from = static_cast<unsigned>(distance);
  block.exchanged[thread] = v;
  kadvise::test::emulated::meet(block.warps[thread / 32]);
  const float other = lane < from ? v : block.exchanged[thread - from];
  kadvise::test::emulated::meet(block.warps[thread / 32]);
  return other;
}
template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T __ldcg(const T* p) {
  return *p;
}
inline float __uint_as_float(unsigned v) { return std::bit_cast<float>(v); }
inline unsigned __float_as_uint(float v) { return std::bit_cast<unsigned>(v); }
inline float __expf(float v) { return std::exp(v); }
inline float __fdividef(float a, float b) { return a / b; }

namespace kadvise {
inline float* dynamicShared() { return test::emulated::block->shared.data(); }
inline void meetCluster() {
  __syncthreads();
  if (threadIdx.x == 0) {
    auto& cluster = *test::emulated::block->cluster;
    const unsigned before = cluster.arrived++, all = (before / cluster.blocks + 1) * cluster.blocks;
    while (cluster.arrived < all) std::this_thread::yield();
  }
  __syncthreads();
}
inline void beginCluster() {}
inline void awaitClusterBegun() { meetCluster(); }
template <class T>
void storeInBlock(T* own, int rank, const T& value) {
  auto& block = *test::emulated::block;
  const auto offset = reinterpret_cast<char*>(own) - reinterpret_cast<char*>(block.shared.data());
  auto* const there = block.cluster->members[static_cast<unsigned>(rank)]->shared.data();
  *reinterpret_cast<T*>(reinterpret_cast<char*>(there) + offset) = value;
}
}  // namespace kadvise
