// What a chip can count, and the values of what was counted: the host's half of CUPTI's Range Profiler. It
// needs no GPU, so that the names of metrics can be checked for any chip.
#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/cupti_words.h"

// CUPTI knows the version of a structure by its size.
#define KADVISE_PARAMETERS(type, name) \
  type name{};                         \
  name.structSize = type##_STRUCT_SIZE

namespace kadvise::cupti {

struct Refused {
  CuptiRefusal why;
};

// Throws Refused with CUPTI's own words.
void check(CUptiResult);
[[noreturn]] void refuse(const std::string& reason, const std::string& remedy);

using Image = std::vector<std::uint8_t>;

// The profiler reads its images after it was disabled: they live as long as the process, which counts and
// ends.
Image& keptImage();

struct Chip {
  CUcontext context = nullptr;
  std::string name;    // "GH100"
  Image availability;  // what this machine's GPU lets be counted; empty: all that the chip has
};

// Of the current context; throws Refused where its counters cannot be had.
Chip chipInUse();

class Host {
 public:
  explicit Host(const Chip&);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // A name that is refused spoils the object.
  CUptiResult add(std::vector<const char*>& names);
  // The plan of a measurement of what was added; lives as long as the process.
  Image& configuration(int& passes);
  std::vector<double> values(const Image& data, std::size_t range, std::vector<const char*>& names);

 private:
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

bool has(const Chip&, const std::string& metric);

}  // namespace kadvise::cupti
