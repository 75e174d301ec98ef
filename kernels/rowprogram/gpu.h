// A GPU as the choice of schedules sees it.
#pragma once

#include "kernels/rowprogram/schedule.h"

#include <string>

namespace kadvise {
struct DeviceFacts;
}

namespace kadvise::rowprogram {

struct NamedGpu {
  Gpu gpu;
  std::string name;  // "NVIDIA H200, sm_90, 132 SMs": what tuned choices hold for
};

// The table of architectures, with what the device says of itself in its place.
NamedGpu gpuOf(const DeviceFacts&);

// Asked once for each device. Throws c10::Error where it cannot say.
const NamedGpu& gpuOfDevice(int device);

}  // namespace kadvise::rowprogram
