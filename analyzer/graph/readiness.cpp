#include "analyzer/graph/readiness.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/near_places.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/subject.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Block;
using jit::Node;
namespace prim = jit::prim;

struct Kind {
  const char* name;
  std::vector<std::string> endedBy;

  bool isEndedBy(const Break& b) const {
    return std::any_of(b.ends.begin(), b.ends.end(), [&](auto& word) {
      return std::find(endedBy.begin(), endedBy.end(), word) != endedBy.end();
    });
  }
};
std::vector<Kind> kinds() {
  return {{"cuda-graph", {"sync", "capture"}},
          {"fusion", {"fusion"}},
          {"compile", {"compile"}},
          {"export", {"export"}}};
}

struct Cutter {
  const Weights& weights;
  const std::vector<NodeInfo>& nodes;
  std::unordered_map<const Node*, bool> ends;  // nodes at which a piece ends
  Capability& out;
  double total = 0;
  ReadyRegion open;

  bool endsInside(const Node* n) const {
    for (const Block* b : n->blocks())
      for (const Node* inner : b->nodes())
        if (ends.count(inner) || endsInside(inner)) return true;
    return false;
  }

  double weightOf(const Node* n) const { return launches(n) ? weights.of(n).value_or(0.0) : 0.0; }

  void close() {
    if (open.operators > 0) out.regions.push_back(open);
    open = {};
  }

  void add(const Node* n, double times) {
    if (!launches(n)) return;
    double weight = times * weightOf(n);
    total += weight;
    open.share += weight;
    Location where = placeOf(n, nodes);
    if (open.operators++ == 0) open.first = where;
    open.last = where;
  }

  static double steps(const Node* n) {
    if (n->kind() != prim::Loop) return 1;
    auto count = constantInt(const_cast<Node*>(n)->input(0));
    return count && *count >= 0 && *count < 1'000'000 ? static_cast<double>(*count) : 1;
  }

  void visit(const Block* b, double times) {
    for (const Node* n : b->nodes()) {
      bool ended = ends.count(n) > 0, cut = ended || endsInside(n);
      if (ended) close(), total += times * weightOf(n);
      else add(n, times);
      for (const Block* inner : n->blocks()) {
        if (cut) close();  // where a step begins another may have ended
        visit(inner, times * steps(n));
        if (cut) close();
      }
    }
  }
};

std::vector<Cut> cutsOf(const std::vector<const Break*>& breaks, const std::vector<NodeInfo>& nodes) {
  std::vector<Cut> out;
  for (auto* b : breaks) {
    auto same = std::find_if(out.begin(), out.end(),
                             [&](const Cut& c) { return c.rule == b->rule && c.findings[0] == b->finding; });
    if (same == out.end()) out.push_back({b->rule, {b->finding}, placeOf(b->node, nodes)});
  }
  return out;
}

}  // namespace

bool endsPieces(const std::vector<std::string>& breaks) {
  return std::any_of(breaks.begin(), breaks.end(),
                     [](auto& word) { return word != "cost" && word != "numerics"; });
}

std::size_t captureCutsIn(const std::vector<Break>& breaks) {
  Kind capture = kinds().front();
  std::unordered_set<const Node*> places;
  for (auto& b : breaks)
    if (capture.isEndedBy(b)) places.insert(b.node);
  return places.size();
}

Weights weightsFrom(const TracedValues& traced) {
  if (traced.empty()) return {"operators", [](const Node*) { return std::optional(1.0); }};
  return {"traced bytes", [&traced](const Node* n) -> std::optional<double> {
            double bytes = 0;
            auto add = [&](const jit::Value* v) {
              auto* seen = traced.find(v);
              if (seen && seen->kind == "tensor") bytes += bytesOf(*seen);
            };
            for (auto* in : n->inputs()) add(in);
            for (auto* o : n->outputs()) add(o);
            return bytes;
          }};
}

Readiness readinessOf(jit::Graph& graph, const std::vector<NodeInfo>& nodes, const std::vector<Break>& breaks,
                      const Weights& weights) {
  Readiness out;
  out.basis = weights.basis;
  for (auto& kind : kinds()) {
    Capability c;
    c.kind = kind.name;
    std::vector<const Break*> here;
    for (auto& b : breaks)
      if (kind.isEndedBy(b)) here.push_back(&b);
    std::stable_sort(here.begin(), here.end(),
                     [](auto* a, auto* b) { return a->node != b->node && a->node->isBefore(b->node); });
    Cutter cutter{weights, nodes, {}, c, 0, {}};
    for (auto* b : here) cutter.ends[b->node] = true;
    cutter.visit(graph.block(), 1);
    cutter.close();
    for (auto& r : c.regions) {
      r.share = cutter.total > 0 ? r.share / cutter.total : 0;
      c.share += r.share;
    }
    c.cuts = cutsOf(here, nodes);
    out.capabilities.push_back(std::move(c));
  }
  return out;
}

}  // namespace kadvise::graph
