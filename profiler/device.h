// The device that modules run on, and what this process can say about the machine.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace kadvise {

struct Device {
  c10::Device torch{c10::kCPU};
  std::string name;  // "NVIDIA H200", the CPU's model name
  int arch = 0;      // 90 for sm_90; 0 on a CPU
  std::string note;  // why `auto` did not take the GPU that is there

  bool isCuda() const { return torch.is_cuda(); }
  std::string label() const;  // "cuda:0 NVIDIA H200"
};

// wanted: "auto" (the first GPU, else the CPU), "cpu", "cuda", "cuda:N". Loads libtorch_cuda when a GPU is to
// be used. Throws Error when the device is not there, with what was found instead.
Device chooseDevice(const std::string& wanted);

// Everything that was started on the device has ended. Throws Error with the device's fault.
void synchronize(const Device&);

// After a fault on the device its context is lost: nothing in this process can use it again.
bool isLost(const Device&);

// torch, CUDA, driver, CUPTI, threads, executor settings, TF32: what a reader needs to repeat a measurement.
std::map<std::string, std::string> environmentOf(const Device&);

// The same random numbers for every module that draws them in the same order.
void seedAll(const Device&, std::uint64_t seed);

// The most that one call of run held at once beyond what was held before it: on a GPU by the caching
// allocator's counters, on a CPU by the reports of LibTorch's allocator.
std::size_t peakBytesOf(const Device&, const std::function<void()>& run);

// How often the caching allocator has asked the GPU for memory so far: what does not grow any more has
// settled. 0 on a CPU.
std::int64_t allocatedSegments(const Device&);

// Gives the memory that the caching allocator holds for later back to the GPU: a module that ran out of it
// leaves all of it there.
void releaseCachedMemory(const Device&);

// "0000:17:00.0"; "" on a CPU.
std::string busIdOf(const Device&);

}  // namespace kadvise
