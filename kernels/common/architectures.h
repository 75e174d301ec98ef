// What generated kernels are chosen by, for each architecture. A device that is there is asked for what it
// can tell of itself; this is what it cannot, and what stands for a device that is not there.
#pragma once

#include <cstdint>
#include <span>

namespace kadvise {

struct Architecture {
  int arch;               // compute capability, 90 for sm_90
  const char* model;      // whose figures these are
  double bytesPerSecond;  // of memory, by the data sheet
  double copied;          // share of it that a copy kernel reaches, reads and writes together
  int sms;
  std::int64_t sharedBytesPerBlock;  // the most that a block may ask for
  std::int64_t l2Bytes;
  int bytesInFlightPerSm;  // that saturate memory: its rate times its latency, of about 700 ns under load,
                           // for each SM
  bool clusters;           // blocks that read each other's shared memory
  bool bulkCopies;         // cp.async.bulk
};

std::span<const Architecture> architectures();  // ascending

// The newest that is not newer than `arch`; the oldest where there is none.
const Architecture& architectureOf(int arch);

}  // namespace kadvise
