// What the GPUs that estimates are made for can do at best. Figures are the vendor's, for dense data at boost
// clock.
#pragma once

#include <span>
#include <string>

namespace kadvise {

struct Gpu {
  const char* name;  // what --arch takes: "H100", "RTX 4090"
  int arch;          // compute capability, 90 for sm_90
  double dramBytesPerSecond;
  double l2Bytes;
  int sms;                   // streaming multiprocessors
  double fp32FlopPerSecond;  // outside the tensor cores, a fused multiply-add being two
  double tf32FlopPerSecond;  // of tensor cores; the fp32 rate where there is no TF32
  double fp16FlopPerSecond;  // of tensor cores that add up in fp32; bf16 runs at the same rate from sm_80 on
  double fp64FlopPerSecond;  // outside the tensor cores
  double launchSeconds;      // what one more kernel costs however small it is
};

std::span<const Gpu> gpus();  // by architecture; the first of an architecture stands for it

const Gpu* defaultGpu();

// "H100", "h100 pcie", "sm_90", "90"; nullptr when there is none.
const Gpu* gpuNamed(const std::string&);
std::string gpuNames();  // "V100, T4, …, or sm_70, sm_75, …", for a message

// The entry of a device that is there; nullptr when it has none.
const Gpu* gpuOfDevice(const std::string& deviceName, int arch);

// The GPU that estimates are for, and why it is this one.
struct GpuChoice {
  const Gpu* gpu;
  std::string reason;
};

// asked: of --arch, "" for none; Error when it is no GPU of the table. deviceName and arch: of the device in
// use, arch 0 on a CPU.
GpuChoice chooseGpu(const std::string& asked, const std::string& deviceName, int arch);

}  // namespace kadvise
