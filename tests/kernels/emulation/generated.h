// The functions that generated kernels have as PTX (kernels/rowprogram/prelude.cpp), for a CPU. The text of a
// kernel is included behind it.
#pragma once

#include "tests/kernels/emulation/cuda.h"

#define KADVISE_EMULATION
#define DEV static inline
#define KERNEL extern "C" void
#define SHARED __shared__
#define SHARED_BYTES auto* shared_bytes = reinterpret_cast<unsigned char*>(emulation::sharedBytes())

template <class T>
T once(const T* p) {
  T v;
  emulation::read(&v, p, sizeof v);
  return v;
}
template <class T>
void put(T* p, T v) {
  emulation::write(p, &v, sizeof v);
}
inline void once16(unsigned* d, const void* p) { emulation::read(d, p, 16); }
inline void once8(unsigned* d, const void* p) { emulation::read(d, p, 8); }
inline void once4(unsigned* d, const void* p) { emulation::read(d, p, 4); }
inline void first16(unsigned* d, const void* p) { emulation::read(d, p, 16); }
inline void first8(unsigned* d, const void* p) { emulation::read(d, p, 8); }
inline void first4(unsigned* d, const void* p) { emulation::read(d, p, 4); }
inline void put16(void* p, const unsigned* d) { emulation::write(p, d, 16); }
inline void put8(void* p, const unsigned* d) { emulation::write(p, d, 8); }
inline void put4(void* p, const unsigned* d) { emulation::write(p, d, 4); }

inline bool isShared(const void* p) {
  const auto& memory = emulation::block->shared;
  const auto* at = static_cast<const char*>(p);
  if (at >= memory.data() && at + 16 <= memory.data() + memory.size() - 16) return true;
  emulation::fail("shared memory is left; ");
  return false;
}
inline void near16(unsigned* d, const void* p) {
  if (isShared(p)) std::memcpy(d, p, 16);
}
inline void set_near16(void* p, const unsigned* d) {
  if (isShared(p)) std::memcpy(p, d, 16);
}

inline unsigned halfBits(float v) { return std::bit_cast<std::uint16_t>(static_cast<_Float16>(v)); }
inline unsigned bfloatBits(float v) {
  const unsigned u = std::bit_cast<unsigned>(v);
  return v != v ? 0x7fffu : (u + 0x7fffu + (u >> 16 & 1)) >> 16;
}
inline float half_float(unsigned bits) {
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
}
inline unsigned halves(float low, float high) { return halfBits(low) | halfBits(high) << 16; }
inline unsigned bfloats(float low, float high) { return bfloatBits(low) | bfloatBits(high) << 16; }
inline float larger(float a, float b) { return a != a ? a : b != b ? b : a > b ? a : b; }
inline float smaller(float a, float b) { return a != a ? a : b != b ? b : a < b ? a : b; }
inline float fast_exp2(float x) { return std::exp2(x); }
inline float flushed(float x) { return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.f, x) : x; }
inline float fast_exp2_ftz(float x) { return flushed(std::exp2(x)); }
inline float fast_rcp_ftz(float x) { return flushed(1.f / flushed(x)); }
inline float fast_div(float a, float b) { return a / b; }
inline float fast_rcp(float x) { return 1.f / x; }
inline float fast_rsqrt(float x) { return 1.f / std::sqrt(x); }
inline float fast_log2(float x) { return std::log2(x); }
template <int N>
void forget(unsigned (&)[N]) {}
inline void stop() { emulation::fail("an index is outside of its table; "); }
inline void peers_leave() {}
inline void peers_left() { emulation::meet(emulation::clusterBarrier, emulation::clusterAlive); }
inline void peers_meet() { emulation::meet(emulation::clusterBarrier, emulation::clusterAlive); }
template <class T>
T of_peer(const T* p, unsigned peer) {
  return emulation::ofPeer(p, peer);
}
