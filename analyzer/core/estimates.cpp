#include "analyzer/core/estimates.h"

#include "analyzer/core/json_fields.h"

namespace kadvise {

void to_json(Json& j, const ModuleCost& v) {
  j = {{"path", v.path},
       {"class", v.className},
       {"nodes", v.nodes},
       {"bytesRead", v.bytesRead},
       {"bytesWritten", v.bytesWritten},
       {"flops", v.flops},
       {"estimatedUs", v.estimatedUs},
       {"ownUs", v.ownUs},
       {"share", v.share}};
}
void from_json(const Json& j, ModuleCost& v) {
  get(j, "path", v.path), get(j, "class", v.className), get(j, "nodes", v.nodes);
  get(j, "bytesRead", v.bytesRead), get(j, "bytesWritten", v.bytesWritten), get(j, "flops", v.flops);
  get(j, "estimatedUs", v.estimatedUs), get(j, "ownUs", v.ownUs), get(j, "share", v.share);
}

void to_json(Json& j, const OperatorCount& v) { j = {{"op", v.op}, {"nodes", v.nodes}}; }
void from_json(const Json& j, OperatorCount& v) { get(j, "op", v.op), get(j, "nodes", v.nodes); }

void to_json(Json& j, const WholeEstimate& v) {
  j = {{"gpu", v.gpu},
       {"reason", v.reason},
       {"kernels", v.kernels},
       {"bytesRead", v.bytesRead},
       {"bytesWritten", v.bytesWritten},
       {"flops", v.flops},
       {"estimatedUs", v.estimatedUs},
       {"withoutFormula", v.withoutFormula},
       {"loopsOfUnknownLength", v.loopsOfUnknownLength}};
}
void from_json(const Json& j, WholeEstimate& v) {
  get(j, "gpu", v.gpu), get(j, "reason", v.reason), get(j, "kernels", v.kernels);
  get(j, "bytesRead", v.bytesRead), get(j, "bytesWritten", v.bytesWritten), get(j, "flops", v.flops);
  get(j, "estimatedUs", v.estimatedUs), get(j, "withoutFormula", v.withoutFormula);
  get(j, "loopsOfUnknownLength", v.loopsOfUnknownLength);
}

void to_json(Json& j, const LiveTensor& v) {
  j = {{"bytes", v.bytes}, {"type", v.type}, {"op", v.op}, {"where", v.where}};
}
void from_json(const Json& j, LiveTensor& v) {
  get(j, "bytes", v.bytes), get(j, "type", v.type), get(j, "op", v.op), get(j, "where", v.where);
}

void to_json(Json& j, const PeakMemory& v) {
  j = {
      {"peakBytes", v.peakBytes},           {"where", v.where},          {"op", v.op}, {"largest", v.largest},
      {"parameterBytes", v.parameterBytes}, {"inputBytes", v.inputBytes}};
}
void from_json(const Json& j, PeakMemory& v) {
  get(j, "peakBytes", v.peakBytes), get(j, "where", v.where), get(j, "op", v.op),
      get(j, "largest", v.largest);
  get(j, "parameterBytes", v.parameterBytes), get(j, "inputBytes", v.inputBytes);
}

}  // namespace kadvise
