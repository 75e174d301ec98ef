// CUDA kernels on a CPU: the same source, compiled by the host's compiler, runs with its blocks, warps,
// shuffles, barriers, clusters and shared memory, one thread after the other and always in the same order.
// For tests of index logic where there is no GPU; it says nothing about speed or about races within a warp.
//
// Use: include this before the kernels, in one translation unit that becomes one program or shared object.
//
//     #include "tests/kernels/emulation/cuda.h"
//     #include "op.cu.inc"                                   // __global__ void kernel(const float* x, float*
//     y, int n) emulation::Memory x(4 * n), y(4 * n);                  // guarded, 16-byte aligned or
//     `offset` bytes beyond std::string error = emulation::launch({.grid = {8}, .block = {128}}, [&] {
//     kernel(x.as<float>(), y.as<float>(), n); }); error += y.broken();                                   //
//     what was written beside it
//
// What it finds: accesses beside a Memory and misaligned ones (those that go through emulation::read and
// write, as the access functions of generated kernels do), writes into guard zones, threads that wait for
// ever, shuffles with lanes that have left, what depends on shared memory that nobody wrote (it holds 0xff
// bytes, so floats are NaN). Shared variables must be of plain types, in functions that are no templates;
// dynamic shared memory is emulation::sharedBytes().
#pragma once

#include "tests/kernels/emulation/memory.h"

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static __attribute__((section("emulated_shared"), used))

extern "C" {
extern char __start_emulated_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_emulated_shared[] __attribute__((weak, visibility("hidden")));
}

namespace emulation {

struct Index {
  unsigned x = 1, y = 1, z = 1;
};

struct Shape {
  Index grid, block;
  unsigned cluster = 1;  // blocks along x
  std::size_t sharedBytes = 0;
};

// ---- threads

struct Barrier {
  unsigned generation = 0, arrived = 0;
};

struct Thread {
  ucontext_t context;
  Index index;
  const Barrier* waitsFor = nullptr;
  unsigned waitsSince = 0;
  bool left = false;
};

// What lanes of a warp that meet under one mask give each other.
struct Meeting {
  Barrier barrier;
  std::uint64_t values[2][32] = {};
};

struct Block {
  Index index;
  std::vector<Thread> threads;
  std::vector<Meeting> meetings;  // 32 a warp, by the lowest lane of the mask
  Barrier all;
  unsigned alive = 0;
  std::vector<char> shared, statics;
};

inline std::vector<Block> cluster;
inline Barrier clusterBarrier;
inline unsigned clusterAlive = 0;
inline Block* block = nullptr;
inline Thread* thread = nullptr;
inline ucontext_t scheduler;
inline const std::function<void()>* body = nullptr;
inline Shape shape;
inline bool progress = false;

inline std::size_t staticBytes() {
  return static_cast<std::size_t>(__stop_emulated_shared - __start_emulated_shared);
}
inline char* sharedBytes() { return block->shared.data(); }

inline void arrive(Barrier& barrier, unsigned expected) {
  if (barrier.arrived < expected) return;
  barrier.arrived = 0;
  ++barrier.generation;
  progress = true;
}

inline void meet(Barrier& barrier, unsigned expected) {
  const unsigned since = barrier.generation;
  ++barrier.arrived;
  arrive(barrier, expected);
  if (barrier.generation != since) return;
  thread->waitsFor = &barrier;
  thread->waitsSince = since;
  swapcontext(&thread->context, &scheduler);
}

inline unsigned threadNumber() {
  const Index& t = thread->index;
  return t.x + shape.block.x * (t.y + shape.block.y * t.z);
}

// Every lane of the mask gives a value and then sees those of all.
inline const std::uint64_t* exchange(unsigned mask, std::uint64_t value) {
  const unsigned me = threadNumber(), lane = me % 32, first = me - lane;
  if (!(mask >> lane & 1)) fail("a lane is not in the mask of its own shuffle; ");
  for (unsigned other = 0; other < 32; ++other)
    if ((mask >> other & 1) && (first + other >= block->threads.size() || block->threads[first + other].left))
      fail("a shuffle waits for a lane that has left; ");
  Meeting& meeting = block->meetings[first + static_cast<unsigned>(std::countr_zero(mask))];
  auto* values = meeting.values[meeting.barrier.generation & 1];
  values[lane] = value;
  meet(meeting.barrier, static_cast<unsigned>(std::popcount(mask)));
  return values;
}

template <class T>
std::uint64_t packed(T v) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &v, sizeof v);
  return bits;
}
template <class T>
T unpacked(std::uint64_t bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
template <class T>
T shuffle(unsigned mask, T v, unsigned from) {
  return unpacked<T>(exchange(mask, packed(v))[from & 31]);
}
inline unsigned laneId() { return threadNumber() % 32; }

// Where a shared variable of this block lies in another block of the cluster.
template <class T>
T ofPeer(const T* p, unsigned peer) {
  const auto* at = reinterpret_cast<const char*>(p);
  Block& other = cluster[peer];
  if (&other == block) return *p;
  const char* from = nullptr;
  if (at >= __start_emulated_shared && at < __stop_emulated_shared)
    from = other.statics.data() + (at - __start_emulated_shared);
  else if (at >= block->shared.data() && at < block->shared.data() + block->shared.size())
    from = other.shared.data() + (at - block->shared.data());
  T v{};
  if (!from) fail("a peer's memory is not shared memory; ");
  else std::memcpy(&v, from, sizeof v);
  return v;
}

inline void enter() {
  (*body)();
  thread->left = true;
  progress = true;
  --block->alive;
  --clusterAlive;
  if (block->alive && block->all.arrived) arrive(block->all, block->alive);
  if (clusterAlive && clusterBarrier.arrived) arrive(clusterBarrier, clusterAlive);
  swapcontext(&thread->context, &scheduler);
}

constexpr std::size_t kStack = 512 << 10;
inline char* stackOf(std::size_t number) {
  static std::vector<std::unique_ptr<char[]>> stacks;
  while (stacks.size() <= number) stacks.emplace_back(new char[kStack]);
  return stacks[number].get();
}

inline void prepare(Block& b, std::size_t firstStack) {
  const unsigned count = shape.block.x * shape.block.y * shape.block.z;
  b.threads.resize(count);
  b.meetings.resize((count + 31) / 32 * 32);
  b.alive = count;
  b.shared.assign(shape.sharedBytes + 16, static_cast<char>(0xff));
  b.statics.assign(staticBytes(), static_cast<char>(0xff));
  for (unsigned i = 0; i < count; ++i) {
    Thread& t = b.threads[i];
    t.index = {i % shape.block.x, i / shape.block.x % shape.block.y, i / shape.block.x / shape.block.y};
    getcontext(&t.context);
    t.context.uc_stack = {stackOf(firstStack + i), 0, kStack};
    t.context.uc_link = nullptr;
    makecontext(&t.context, enter, 0);
  }
}

inline void runBlock(Block& b) {
  block = &b;
  if (staticBytes()) std::memcpy(__start_emulated_shared, b.statics.data(), staticBytes());
  for (Thread& t : b.threads) {
    if (t.left || (t.waitsFor && t.waitsFor->generation == t.waitsSince)) continue;
    t.waitsFor = nullptr;
    thread = &t;
    progress = true;
    swapcontext(&scheduler, &t.context);
  }
  if (staticBytes()) std::memcpy(b.statics.data(), __start_emulated_shared, staticBytes());
}

inline void runCluster(Index first) {
  cluster.clear();
  cluster.resize(shape.cluster);
  clusterBarrier = {};
  clusterAlive = 0;
  std::size_t stacks = 0;
  for (unsigned i = 0; i < shape.cluster; ++i) {
    cluster[i].index = {first.x + i, first.y, first.z};
    prepare(cluster[i], stacks);
    stacks += cluster[i].threads.size();
    clusterAlive += cluster[i].alive;
  }
  while (clusterAlive) {
    progress = false;
    for (Block& b : cluster)
      if (b.alive) runBlock(b);
    if (!progress) return fail("threads wait for ever; ");
    if (!firstError.empty()) return;
  }
}

// Runs every block; the text says what was wrong, and is empty where nothing was.
inline std::string launch(const Shape& s, const std::function<void()>& kernel) {
  shape = s;
  body = &kernel;
  firstError.clear();
  for (unsigned z = 0; z < s.grid.z; ++z)
    for (unsigned y = 0; y < s.grid.y; ++y)
      for (unsigned x = 0; x < s.grid.x; x += s.cluster)
        if (firstError.empty()) runCluster({x, y, z});
  return firstError;
}

}  // namespace emulation

#include "tests/kernels/emulation/cuda_functions.h"
