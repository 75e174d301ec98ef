#include "kernels/rowprogram/gpu.h"

#include "kernels/common/architectures.h"
#include "kernels/runtime_compile/launch.h"

namespace kadvise::rowprogram {

NamedGpu gpuOf(const DeviceFacts& facts) {
  const Architecture& table = architectureOf(facts.arch);
  const auto orTable = [](auto fact, auto known) { return fact > 0 ? fact : known; };
  Gpu gpu;
  gpu.arch = facts.arch;
  gpu.threadsPerSm = gpu.arch == 80 || gpu.arch == 90 || gpu.arch == 100 ? 2048 : 1536;
  gpu.sms = orTable(facts.sms, table.sms);
  gpu.sharedBytesPerBlock = orTable(facts.sharedBytesPerBlock, static_cast<int>(table.sharedBytesPerBlock));
  gpu.bytesPerSecond = orTable(facts.memoryBytesPerSecond, table.bytesPerSecond) * table.copied;
  gpu.l2Bytes = orTable(facts.l2Bytes, table.l2Bytes);
  gpu.bytesInFlightPerSm = table.bytesInFlightPerSm;
  gpu.clusters = table.clusters;
  return {gpu, std::string(facts.name) + ", sm_" + std::to_string(gpu.arch) + ", " + std::to_string(gpu.sms) +
                   " SMs"};
}

}  // namespace kadvise::rowprogram
