// The border between the torch side, which has CUDA text, and the CUDA side, which compiles, loads and starts
// it.
//
// Functions that return a sentence return null when all went well; a sentence lives until the same thread
// calls again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kadvise {

// What a GPU says of itself.
struct DeviceFacts {
  char name[128];
  int arch;  // 90 for sm_90
  int sms;
  int sharedBytesPerBlock;  // that a block may ask for
  std::int64_t l2Bytes;
  double memoryBytesPerSecond;  // by clock and width of the bus; 0: it does not say
};

// A text and the names of its kernels, which are extern "C".
struct RuntimeText {
  const char* text;
  const char* const* kernels;
  int count;
};

// A text compiled and loaded, kept for ever: a captured graph may hold its kernels.
struct LoadedText;

struct RuntimeLaunch {
  std::int64_t grid[3];  // no kernel is started where one is 0
  int block, cluster;    // blocks of a cluster, along x
  int sharedBytes;       // dynamic
};

// One call: a launch for each kernel of the text, in order, all with the same arguments, of which each is the
// address of a value.
struct RuntimeCall {
  const LoadedText* text;
  const RuntimeLaunch* launches;
  void* const* arguments;
};

struct TimedCall {
  RuntimeCall call;
  float microseconds;  // the median of what it took with cold caches; below 0: it could not be started
};

}  // namespace kadvise

extern "C" {
using KadviseCudaDeviceFacts = const char*(int device, kadvise::DeviceFacts*);

// Compiles, or takes what the process or the cache of files has. From any number of threads at once, in
// capture too.
using KadviseCudaLoadText = const char*(const kadvise::RuntimeText*, int device, const kadvise::LoadedText**);

// 1 where that needs no compiler: the process or the files have it.
using KadviseCudaHasText = int(const kadvise::RuntimeText*, int device);

// Enqueues on the stream of the current device: no synchronisation, no allocation, safe in capture.
using KadviseCudaRunText = const char*(const kadvise::RuntimeCall*, void* stream);

// Runs the calls on the stream again and again, about `milliseconds` in all, and waits. Not in capture.
using KadviseCudaTimeTexts = const char*(kadvise::TimedCall*, int count, double milliseconds, void* stream);

// 1 while the stream is captured, or cannot say.
using KadviseCudaIsCaptured = int(void* stream);
}
