// One view of a module's time: on a GPU by kernel records, on a CPU by the operators' own time.
#pragma once

#include <torch/script.h>

#include "analyzer/core/profile.h"
#include "profiler/chrome_trace.h"
#include "profiler/marked_module.h"
#include "profiler/session.h"
#include "profiler/wall_time.h"

namespace kadvise {

// A module in the two forms that a profile needs: the one that is timed, and its marked copy.
struct ProfiledModule {
  torch::jit::Module timed;
  MarkedModule attributed;  // without marks when the module could not be copied
};

struct ViewResult {
  ProfileView view;
  std::vector<TraceTrack> tracks;
  std::vector<Absent> absent;
  std::vector<std::string> notes;
};

// Both: settled before. wall: of the same module without records.
ViewResult gpuView(ProfiledModule&, const Values& batch, const Device&, const WallTime& wall, Pulse&);
ViewResult cpuView(ProfiledModule&, const Values& batch, const WallTime& wall, Pulse&);

// The same call captured as a CUDA graph and replayed. Throws Error when it cannot be captured.
ViewResult graphView(ProfiledModule&, const Values& batch, const Device&, double budgetSeconds, Pulse&);

}  // namespace kadvise
