// A profile as a trace that chrome://tracing and Perfetto open. Times are microseconds. Knows nothing of
// CUPTI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise {

struct TraceSlice {
  std::string name, category;
  double startUs = 0, durationUs = 0;
  std::uint32_t link = 0;  // slices of one link above 0 are joined by an arrow, from the host to the GPU
  Json arguments = Json::object();
};

struct TraceTrack {
  std::string process, name;  // "host", "operators"; "GPU", "stream 7"
  std::vector<TraceSlice> slices;
};

std::string chromeTrace(const std::vector<TraceTrack>&);

}  // namespace kadvise
