#include "profiler/regimes.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

constexpr int kFewest = 3, kMost = 30;
constexpr double kGateSeconds =
    0.5;  // then it opens by itself: who waits for the GPU behind it would wait for ever
constexpr double kQueuedUs = 1000;  // of runs behind one gate: the queue of launches holds about a thousand
constexpr double kFlushPerL2 = 2;
constexpr const char* kNotAhead =
    "not timed with cold and hot caches: a run waits for the GPU, or launches more than its queue holds";

void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw Error("device", std::string(what) + ": " + cudaGetErrorString(error));
}

class Event {
 public:
  Event() { require(cudaEventCreate(&event_), "no event can be made"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() { require(cudaEventRecord(event_, nullptr), "an event cannot be recorded"); }
  double usSince(const Event& start) const {
    float ms = 0;
    require(cudaEventElapsedTime(&ms, start.event_, event_), "two events cannot be compared");
    return 1000.0 * ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// A buffer of twice the L2 cache: writing it leaves nothing else there.
class Flush {
 public:
  explicit Flush(int device) {
    int l2Bytes = 0;
    cudaDeviceGetAttribute(&l2Bytes, cudaDevAttrL2CacheSize, device);
    bytes_ = static_cast<std::size_t>(kFlushPerL2 * l2Bytes);
    require(cudaMalloc(&buffer_, bytes_), "no memory for flushing the L2 cache");
  }
  ~Flush() { cudaFree(buffer_); }
  Flush(const Flush&) = delete;
  Flush& operator=(const Flush&) = delete;
  void start() {
    cudaCtxResetPersistingL2Cache();  // lines that a module has made persist survive a flush
    require(cudaMemsetAsync(buffer_, ++value_, bytes_, nullptr), "the L2 cache cannot be flushed");
  }

 private:
  void* buffer_ = nullptr;
  std::size_t bytes_ = 0;
  int value_ = 0;
};

// Work that is started behind the gate begins when it is opened.
class Gate {
 public:
  void close() {
    isOpen_ = false;
    gaveUp_ = false;
    require(cudaLaunchHostFunc(nullptr, wait, this), "the GPU cannot be held");
  }
  void open() { isOpen_ = true; }
  bool gaveUp() const { return gaveUp_; }

 private:
  static void wait(void* self) {
    auto* gate = static_cast<Gate*>(self);
    double endUs = steadyUs() + 1e6 * kGateSeconds;
    while (!gate->isOpen_) {
      std::this_thread::yield();
      if (steadyUs() < endUs) continue;
      gate->gaveUp_ = true;
      return;
    }
  }
  std::atomic<bool> isOpen_{false}, gaveUp_{false};
};

struct Bench {
  Gate gate;
  Event begin, end;
  Flush flush;
  enum class Cache { Flushed, AsItIs };

  // Microseconds of a run; negative when the host could not get ahead of the GPU.
  double time(const TimedRun& run, int runs, Cache cache) {
    run.synchronize();
    gate.close();
    try {
      if (cache == Cache::Flushed) flush.start();
      begin.record();
      for (int i = 0; i < runs; ++i) run.once();
      end.record();
    } catch (...) {
      gate.open();
      throw;
    }
    gate.open();
    run.synchronize();
    return gate.gaveUp() ? -1 : end.usSince(begin) / runs;
  }
};

int queuedRuns(double wallUs) {
  return static_cast<int>(std::clamp(kQueuedUs / std::max(wallUs, 1.0), 1.0, 50.0));
}

}  // namespace

Regimes measureRegimes(const TimedRun& before, const TimedRun& after, double beforeUs, double afterUs,
                       const Device& device, double budgetSeconds, Pulse& pulse) {
  Regimes out;
  double endUs = steadyUs() + 1e6 * budgetSeconds;
  Bench bench{{}, {}, {}, Flush(device.torch.index())};
  struct Step {
    const TimedRun& run;
    int runs;
    Bench::Cache cache;
    std::vector<double>& us;
  } steps[] = {{before, 1, Bench::Cache::Flushed, out.cold.beforeUs},
               {after, 1, Bench::Cache::Flushed, out.cold.afterUs},
               {before, queuedRuns(beforeUs), Bench::Cache::AsItIs, out.hot.beforeUs},
               {after, queuedRuns(afterUs), Bench::Cache::AsItIs, out.hot.afterUs}};
  for (int i = 0; i < kMost && (i < kFewest || steadyUs() < endUs); ++i) {
    pulse.beat("timing with cold and with hot caches", i + 1, kMost);
    for (auto& step : steps) {
      double us = bench.time(step.run, step.runs, step.cache);
      if (us < 0) return {{}, {}, kNotAhead};
      step.us.push_back(us);
    }
  }
  return out;
}

}  // namespace kadvise
