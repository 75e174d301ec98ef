// `kadvise profile`: where the time of one call goes, by kadvise-measure's verbs `profile` and `count`.
#pragma once

#include <filesystem>

#include "analyzer/assistant.h"

namespace kadvise {

struct ProfileOptions {
  bool isGraph = false, isFrozen = false;
  int countedKernels = 0;       // of which the hardware counters are read, the longest first; 0: none
  std::filesystem::path trace;  // Chrome's trace format; "": none
};

// Throws Error for what is wrong before the engine starts; what goes wrong later is in the report's errors.
Report profileModule(const AssistantOptions&, const Subject&, const ProfileOptions&);

}  // namespace kadvise
