// What a module costs by its shapes alone: traffic, flops, time at best, memory at its peak. Never a
// measurement.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/core/types.h"

namespace kadvise {

// A module path with everything below it; "" is the whole.
struct ModuleCost {
  std::string path, className;  // className "" where the file does not say
  int nodes = 0;                // those that cost anything
  double bytesRead = 0, bytesWritten = 0, flops = 0;
  double estimatedUs = 0;
  double ownUs = 0;  // of the nodes that belong to no module further down
  double share = 0;  // of the whole's estimated time, 0 to 1
};

struct OperatorCount {
  std::string op;
  int nodes = 0;
};

struct WholeEstimate {
  std::string gpu, reason;  // an entry of hardware.h, and why this one
  double kernels = 0, bytesRead = 0, bytesWritten = 0, flops = 0, estimatedUs = 0;
  std::vector<OperatorCount> withoutFormula;  // counted as operands read once, results written once
  int loopsOfUnknownLength = 0;               // counted as one turn
};

struct LiveTensor {
  double bytes = 0;
  std::string type, op;  // "float32[2,128,768]"
  Location where;
};

struct PeakMemory {
  double peakBytes = 0;  // of activations alive at once; parameters, inputs and workspaces come on top
  Location where;        // the node that runs then
  std::string op;
  std::vector<LiveTensor> largest;  // alive then
  double parameterBytes = 0, inputBytes = 0;
};

void to_json(Json&, const ModuleCost&);
void from_json(const Json&, ModuleCost&);
void to_json(Json&, const OperatorCount&);
void from_json(const Json&, OperatorCount&);
void to_json(Json&, const WholeEstimate&);
void from_json(const Json&, WholeEstimate&);
void to_json(Json&, const LiveTensor&);
void from_json(const Json&, LiveTensor&);
void to_json(Json&, const PeakMemory&);
void from_json(const Json&, PeakMemory&);

}  // namespace kadvise
