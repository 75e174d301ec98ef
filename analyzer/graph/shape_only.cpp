#include "analyzer/graph/shape_only.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/graph/fold.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/shape_table.h"
#include "analyzer/graph/table_nodes.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

struct Group {
  std::vector<Node*> nodes;
  std::vector<Node*> operators;  // those that launch work
  bool asksSizes = false;        // else it is arithmetic on parameters, which folding is for
};

bool belongs(Node* n, GraphFacts& facts) {
  bool isUnpacked = n->kind() == prim::ListUnpack && !n->outputs().empty();
  if ((n->outputs().size() != 1 && !isUnpacked) || !n->blocks().empty()) return false;
  if (n->kind() == prim::Constant || n->kind() == prim::GetAttr || n->isNondeterministic()) return false;
  if (standsInTable(n)) return false;
  return std::all_of(n->outputs().begin(), n->outputs().end(), [&](Value* out) {
    return holdsTensors(out->type()) && facts.dependence().onShapesOnly(out);
  });
}

// Position embeddings that are interpolated to the size of the image ask it as much as arange(n) does.
bool isOfCall(const Value* v) {
  if (holdsTensors(v->type()) || v->node()->kind() == prim::Constant) return false;
  if (v->node()->kind() != prim::ListConstruct) return true;
  auto elements = v->node()->inputs();
  return std::any_of(elements.begin(), elements.end(), isOfCall);
}

bool asksSizes(const Node* n) {
  return isFactory(n) || !plainMakerOf(n).empty() ||
         (launches(n) && std::any_of(n->inputs().begin(), n->inputs().end(), isOfCall));
}

// Connected nodes of a block: each joins the group of the first of its inputs, and draws the other groups
// into it.
struct Groups {
  std::vector<Group> all;
  std::unordered_map<const Value*, std::size_t> of;
  std::vector<std::size_t> movedTo;

  std::size_t find(std::size_t g) const {
    while (movedTo[g] != g) g = movedTo[g];
    return g;
  }

  void add(Node* n) {
    std::optional<std::size_t> home;
    for (auto* in : n->inputs()) {
      auto it = of.find(in);
      if (it == of.end() || it->first->node()->owningBlock() != n->owningBlock()) continue;
      auto g = find(it->second);
      if (home && *home != g) join(*home, g);
      else home = g;
    }
    if (!home) {
      home = all.size();
      all.emplace_back();
      movedTo.push_back(*home);
    }
    for (Value* out : n->outputs()) of[out] = *home;
    Group& group = all[*home];
    group.nodes.push_back(n);
    if (launches(n)) group.operators.push_back(n);
    group.asksSizes = group.asksSizes || asksSizes(n);
  }

  void join(std::size_t into, std::size_t from) {
    movedTo[from] = into;
    Group &to = all[into], &more = all[from];
    to.nodes.insert(to.nodes.end(), more.nodes.begin(), more.nodes.end());
    to.operators.insert(to.operators.end(), more.operators.begin(), more.operators.end());
    to.asksSizes = to.asksSizes || more.asksSizes;
    more = {};
  }
};

// A table leaves nothing of them to do.
Estimate estimateOf(const Group& g, const Analysis& a) {
  Cost all;
  double seconds = 0;
  for (Node* n : g.operators) {
    Cost one = costOf(n, a.traced);
    all.bytesRead += one.bytesRead, all.bytesWritten += one.bytesWritten;
    seconds += secondsOf(one, *a.target.gpu);
  }
  return estimateOfSaving(all, seconds, seconds, *a.target.gpu);
}

}  // namespace

CodedResult findShapeOnly(const RulePage& page, const Analysis& analysis) {
  GraphFacts facts(analysis);
  Groups groups;
  std::unordered_set<Node*> folded;  // what replacements make of weights: once, when the module is written
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (isFoldable(n, folded)) folded.insert(n);
    else if (belongs(n, facts)) groups.add(n);
  });
  CodedResult out;
  for (auto& g : groups.all) {
    if (!areWorthATable(g.nodes) || !g.asksSizes) continue;
    sortByPlace(g.operators);
    sortByPlace(g.nodes);
    CodedFinding f;
    f.node = g.operators.front();
    f.related.assign(g.operators.begin() + 1, g.operators.end());
    f.message = std::to_string(g.operators.size()) +
                " operators compute here what only shapes and parameters decide, anew in each call";
    f.breaks = page.nodes.breaks;
    f.estimate = estimateOf(g, analysis);
    std::string why;
    f.rewrite = tableOf(g.nodes, analysis, why);
    if (!f.rewrite) out.refused.push_back({f.node, {"no table for these sizes:", why}});
    out.findings.push_back(std::move(f));
  }
  if (out.findings.empty())
    out.whyNothing = "no three operators in a row compute what only shapes and parameters decide";
  return out;
}

}  // namespace kadvise::graph
