#include "analyzer/graph/estimates.h"

#include <map>

#include "analyzer/graph/cost.h"
#include "analyzer/graph/liveness.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

constexpr std::size_t kLargest = 5;  // tensors that are named at the peak

Location placeOf(const torch::jit::Node* n, const Subject& subject) {
  int id = nodeId(n);
  bool known = id >= 0 && id < static_cast<int>(subject.nodes.size());
  return known ? subject.nodes[static_cast<std::size_t>(id)].where : Location{};
}

WholeEstimate wholeOf(const GraphCost& cost, const Gpu& gpu) {
  WholeEstimate out;
  out.gpu = gpu.name;
  out.kernels = cost.total.kernels;
  out.bytesRead = cost.total.bytesRead;
  out.bytesWritten = cost.total.bytesWritten;
  out.flops = cost.total.flops;
  out.estimatedUs = cost.seconds * 1e6;
  for (auto& [op, nodes] : cost.unknown) out.withoutFormula.push_back({op, nodes});
  out.loopsOfUnknownLength = cost.loopsOfUnknownLength;
  return out;
}

// "a.b.c" belongs to "a.b.c", "a.b", "a" and "".
template <class Visit>
void forEachOwner(std::string path, const Visit& visit) {
  while (!path.empty()) {
    visit(path);
    auto dot = path.rfind('.');
    path = dot == std::string::npos ? "" : path.substr(0, dot);
  }
  visit(path);
}

std::vector<ModuleCost> modulesOf(const GraphCost& cost, const Subject& subject) {
  std::map<std::string, ModuleCost> byPath;
  for (auto& n : cost.nodes) {
    const std::string own = placeOf(n.node, subject).scope;
    forEachOwner(own, [&](const std::string& path) {
      ModuleCost& m = byPath[path];
      ++m.nodes;
      m.bytesRead += n.cost.bytesRead;
      m.bytesWritten += n.cost.bytesWritten;
      m.flops += n.cost.flops;
      m.estimatedUs += n.seconds * 1e6;
      if (path == own) m.ownUs += n.seconds * 1e6;
    });
  }
  std::vector<ModuleCost> out;
  for (auto& [path, m] : byPath) {
    m.path = path;
    if (auto known = subject.classes.find(path); known != subject.classes.end()) m.className = known->second;
    m.share = cost.seconds > 0 ? m.estimatedUs / (cost.seconds * 1e6) : 0;
    out.push_back(std::move(m));
  }
  return out;
}

PeakMemory memoryOf(const Liveness& live, const Subject& subject, const TracedValues& traced) {
  PeakMemory out;
  out.parameterBytes = static_cast<double>(subject.parameterBytes);
  out.inputBytes = live.inputBytes;
  out.peakBytes = live.peakBytes;
  if (live.peakAt < 0) return out;
  auto* node = live.order[static_cast<std::size_t>(live.peakAt)];
  out.where = placeOf(node, subject);
  out.op = node->kind().toQualString();
  for (auto* a : live.atPeak()) {
    if (out.largest.size() == kLargest) break;
    auto tensor = tensorOf(a->value, traced);
    out.largest.push_back({a->bytes, tensor ? describe(&*tensor) : "",
                           a->value->node()->kind().toQualString(), placeOf(a->value->node(), subject)});
  }
  return out;
}

}  // namespace

void addEstimates(Json& matched, const Subject& subject, const TracedValues& traced, const Gpu& gpu) {
  auto graph = subject.graph();
  auto cost = costOf(*graph, traced, gpu);
  if (cost.nodes.empty()) return;
  matched["estimate"] = wholeOf(cost, gpu);
  matched["modules"] = modulesOf(cost, subject);
  matched["memory"] = memoryOf(livenessOf(*graph, traced), subject, traced);
}

}  // namespace kadvise::graph
