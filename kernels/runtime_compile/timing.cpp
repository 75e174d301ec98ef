// How long calls take with cold caches, measured in turns.
#include "kernels/common/allowed_in_capture.h"
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"
#include "kernels/runtime_compile/loaded_text.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace kadvise {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostRounds = 45;
constexpr float kHopeless = 1.5f;  // times the best: what is so slow in the first round is not timed again

struct Event {
  cudaEvent_t event = nullptr;
  Event() { cudaEventCreate(&event); }
  ~Event() {
    if (event != nullptr) cudaEventDestroy(event);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
};

// Memory that is written over between two calls, so that the caches hold nothing of them. Where there is no
// memory for it, calls are timed warm.
struct Scrub {
  void* memory = nullptr;
  std::size_t bytes = 0;
  cudaStream_t stream;

  explicit Scrub(cudaStream_t on) : stream(on) {
    int device = 0, l2 = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device);
    bytes = static_cast<std::size_t>(l2) * 2;
    if (bytes == 0 || cudaMallocAsync(&memory, bytes, stream) != cudaSuccess) memory = nullptr;
    cudaGetLastError();
  }
  ~Scrub() {
    if (memory != nullptr) cudaFreeAsync(memory, stream);
  }
  Scrub(const Scrub&) = delete;
  Scrub& operator=(const Scrub&) = delete;

  void operator()() const {
    if (memory != nullptr) cudaMemsetAsync(memory, 0, bytes, stream);
  }
};

struct Timed {
  TimedCall* call;
  Event start, end;
  std::vector<float> microseconds;
};

// Enqueued as one: the scrubbing takes longer than what the host needs to enqueue the next, so the GPU never
// waits.
cudaError_t oneRound(std::vector<std::unique_ptr<Timed>>& live, const Scrub& scrub, cudaStream_t stream) {
  for (auto& one : live) {
    scrub();
    cudaEventRecord(one->start.event, stream);
    if (const auto e = run(one->call->call, stream)) return e;
    cudaEventRecord(one->end.event, stream);
  }
  if (const auto e = cudaStreamSynchronize(stream)) return e;
  for (auto& one : live) {
    float milliseconds = 0;
    if (const auto e = cudaEventElapsedTime(&milliseconds, one->start.event, one->end.event)) return e;
    one->microseconds.push_back(milliseconds * 1e3f);
  }
  return cudaSuccess;
}

float medianOf(std::vector<float> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// The median so far becomes the call's time; those without hope are not timed again.
void keepHopeful(std::vector<std::unique_ptr<Timed>>& live) {
  float best = live.front()->microseconds.back();
  for (const auto& one : live) {
    one->call->microseconds = medianOf(one->microseconds);
    best = std::min(best, one->call->microseconds);
  }
  std::erase_if(live, [&](const auto& one) { return one->call->microseconds > kHopeless * best; });
}

cudaError_t timeAll(std::vector<std::unique_ptr<Timed>>& live, double milliseconds, cudaStream_t stream) {
  const auto end = Clock::now() + std::chrono::duration<double, std::milli>(milliseconds);
  const Scrub scrub(stream);
  if (const auto e = oneRound(live, scrub, stream)) return e;  // raises clocks; counts for nothing
  for (auto& one : live) one->microseconds.clear();
  for (int round = 0; round < kMostRounds && (round == 0 || Clock::now() < end); ++round) {
    if (const auto e = oneRound(live, scrub, stream)) return e;
    keepHopeful(live);
    if (live.size() == 1) break;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_time_texts(kadvise::TimedCall* calls, int count,
                                                                   double milliseconds, void* stream) {
  using namespace kadvise;
  const AllowedInCapture allowed;  // of other threads
  const auto on = static_cast<cudaStream_t>(stream);
  std::vector<std::unique_ptr<Timed>> live;
  for (int i = 0; i < count; ++i) {
    calls[i].microseconds = -1;
    if (run(calls[i].call, on) != cudaSuccess) {
      cudaGetLastError();
      continue;
    }
    live.push_back(std::make_unique<Timed>());
    live.back()->call = &calls[i];
  }
  if (live.empty()) return "no candidate could be started";
  return sentenceOf(timeAll(live, milliseconds, on), "timing generated kernels");
}
