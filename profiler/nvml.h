// The GPU's clock, power and temperature, and what holds its clock back, by NVIDIA's management library,
// which comes with the driver. It is opened when asked for: nothing needs it to start.
#pragma once

#include <memory>
#include <string>

#include "profiler/disturbance.h"

namespace kadvise {

struct GpuCondition {
  ClockReading clock;
  double powerW = 0, temperatureC = 0;  // 0: unknown
  std::string heldBackBy;               // "heat", "" for nothing
};

class Nvml {
 public:
  // busId: "0000:17:00.0", of cudaDeviceGetPCIBusId. Afterwards refused() says in a sentence why it cannot be
  // asked, or "".
  explicit Nvml(const std::string& busId);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const std::string& refused() const { return refused_; }
  ClockReading clock() const;  // some microseconds; unknown when refused
  GpuCondition condition() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::string refused_;
};

}  // namespace kadvise
