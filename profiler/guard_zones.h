// Memory next to a tensor belongs to others. While GuardZones lives, every block that LibTorch hands out on
// the CPU, outputs and workspaces of custom operators alike, lies between two zones of a known pattern: who
// writes there writes out of bounds.
#pragma once

#include <optional>
#include <string>

namespace kadvise {

class GuardZones {
 public:
  // One at a time. Where LibTorch's own allocator has been replaced by a foreign one there are no zones.
  GuardZones();
  ~GuardZones();
  GuardZones(const GuardZones&) = delete;
  GuardZones& operator=(const GuardZones&) = delete;

  // The first block that was written outside of, freed again or not: "behind a block of 400 bytes".
  std::optional<std::string> breach() const;
};

}  // namespace kadvise
