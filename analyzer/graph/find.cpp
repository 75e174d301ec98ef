#include "analyzer/graph/find.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

#include "analyzer/graph/fold.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/near_places.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/untaken.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {
namespace {

using jit::Node;

std::string nearestMiss(const Rule& rule, const NearMiss& near, const std::vector<NodeInfo>& nodes) {
  if (!near.anchor) {
    std::set<std::string> anchors;
    for (auto kind : rule.lacking) anchors.insert(kind.toQualString());
    for (auto& g : rule.groups)
      for (auto& p : g.patterns) anchors.insert(p.graph->outputs()[0]->node()->kind().toQualString());
    std::string names;
    for (auto& a : anchors) names += (names.empty() ? "" : ", ") + a;
    return "the module has no " + names;
  }
  auto where = placeOf(near.anchor, nodes);
  std::string place = where.scope.empty() ? where.file + ":" + std::to_string(where.line) : where.scope;
  return "nearest, at " + place + ": " + near.mismatch.at + " " + near.mismatch.reason;
}

constexpr std::string_view kViews[] = {"aten::unsqueeze", "aten::view",  "aten::reshape",
                                       "aten::select",    "aten::slice", "aten::squeeze"};

// What earlier rounds compute of parameters, which is done once, when the module is written. Looked for where
// a rule first asks.
class Folded {
 public:
  explicit Folded(jit::Graph& graph) : graph_(graph) {}
  bool has(Node* n) {
    if (!nodes_) {
      nodes_.emplace();
      forEachNode(graph_.block(), [this](Node* of) {
        if (isFoldable(of, *nodes_)) nodes_->insert(of);
      });
    }
    return nodes_->count(n) != 0;
  }

 private:
  jit::Graph& graph_;
  std::optional<std::unordered_set<Node*>> nodes_;
};

// A parameter, a constant, what is folded, or always the same view of one: w[None, :, None, None].
bool isWeight(jit::Value* v, Folded& folded) {
  for (Node* n = v->node(); isOneOf(kViews, n); n = v->node()) {
    if (!std::all_of(n->inputs().begin() + 1, n->inputs().end(),
                     [](jit::Value* in) { return jit::toIValue(in).has_value(); }))
      break;
    v = n->input(0);
  }
  return v->node()->kind() == jit::prim::Constant || attributePath(v) || folded.has(v->node());
}

// A rule that folds weights is about weights: what the model computes anew each time is none.
std::optional<Mismatch> whyNoWeight(const Group& group, const Pattern& pattern, const Match& match,
                                    Folded& folded) {
  for (std::size_t i = 0; i < pattern.parameters.size(); ++i) {
    auto& name = pattern.parameters[i];
    if (std::find(group.weights.begin(), group.weights.end(), name) == group.weights.end()) continue;
    auto* bound = match.at(pattern.graph->inputs()[i]);
    if (!isWeight(bound, folded))
      return Mismatch{valueWords(bound), "is computed by the module; the rule wants a parameter for " + name};
  }
  return std::nullopt;
}

// A page is proven for the dtypes that it names, and for no other.
std::optional<Mismatch> whyOtherDtype(const RulePage& page, const Match& match, const TracedValues& traced,
                                      const std::string& device) {
  auto& proven = page.dtypesFor(device);
  if (proven.empty()) return std::nullopt;
  auto* seen = traced.find(match.anchor->output(0));
  if (!seen || seen->kind != "tensor") return std::nullopt;  // the condition asks for what it needs
  auto name = nameOf(seen->dtype);
  if (std::find(proven.begin(), proven.end(), name) != proven.end()) return std::nullopt;
  return Mismatch{valueWords(match.anchor->output(0)),
                  "is " + name + ", for which the page is not proven" +
                      (page.dtypesOn.count(device) ? " on " + device : "")};
}

// What begins so only looks like a place of the pattern; a later group may be meant.
constexpr std::string_view kNoPlace = "is no place for this rule";

ResultMemory memoryOfResults(const Group& group) {
  std::set<ResultMemory> all;
  for (auto& r : group.replacements) all.insert(graph::memoryOfResults(r));
  if (all.count(ResultMemory::PerhapsShared)) return ResultMemory::PerhapsShared;
  return all.empty() || all.count(ResultMemory::New) ? ResultMemory::New : ResultMemory::NewInOrder;
}

// A smaller reading of a page matches inside a place of a larger one, at another anchor: that is one place.
void dropContained(std::vector<Site>& sites) {
  std::vector<std::set<Node*>> nodes;
  for (auto& s : sites) nodes.emplace_back(s.match.nodes.begin(), s.match.nodes.end());
  std::vector<Site> kept;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    bool contained = false;
    for (std::size_t j = 0; j < sites.size() && !contained; ++j)
      contained = nodes[j].size() > nodes[i].size() &&
                  std::includes(nodes[j].begin(), nodes[j].end(), nodes[i].begin(), nodes[i].end());
    if (!contained) kept.push_back(std::move(sites[i]));
  }
  sites = std::move(kept);
}

}  // namespace

Search findSites(const Rule& rule, jit::Graph& graph, const Aliases& aliases,
                 const std::vector<NodeInfo>& nodes, const TracedValues& traced, const Target& target,
                 std::size_t mostNear) {
  Search out;
  NearMiss near;
  std::set<Node*> matched;
  std::set<Node*> taken;  // one proposal of a rule for each anchor: the first group that matches
  const UntakenArms untaken(graph, traced);
  Folded folded(graph);
  auto refuse = [&](Node* anchor, const Mismatch& why) {
    out.refused.push_back({rule.page->id, placeOf(anchor, nodes), why});
  };

  forEachNode(graph.block(), [&](Node* anchor) {
    if (untaken.hold(anchor)) return;
    std::optional<Mismatch> elsewhere;  // a condition says that another group is meant
    for (auto& group : rule.groups) {
      for (auto& pattern : group.patterns) {
        if (taken.count(anchor)) return;
        auto match = matchAt(pattern, anchor, traced, near);
        if (!match) continue;
        if (mostNear) matched.insert(match->nodes.begin(), match->nodes.end());
        auto unfit = whyNotHere(group, pattern, *match, traced, target);
        if (unfit && unfit->reason.starts_with(kNoPlace)) {
          if (!elsewhere) elsewhere = std::move(unfit);
          break;
        }
        taken.insert(anchor);
        if (auto why = whyOtherDtype(*rule.page, *match, traced, target.device)) return refuse(anchor, *why);
        if (auto why = whyNoWeight(group, pattern, *match, folded)) return refuse(anchor, *why);
        if (auto why = whyUnsafe(pattern, *match, aliases, memoryOfResults(group)))
          return refuse(anchor, *why);
        if (unfit) return refuse(anchor, *unfit);
        out.sites.push_back({&group, &pattern, std::move(*match)});
      }
    }
    if (elsewhere && !taken.count(anchor)) refuse(anchor, *elsewhere);
  });
  dropContained(out.sites);
  if (out.sites.empty() && out.refused.empty()) out.whyNothing = nearestMiss(rule, near, nodes);
  if (mostNear) out.near = nearPlaces(rule, graph, matched, nodes, traced, mostNear);
  return out;
}

}  // namespace kadvise::graph
