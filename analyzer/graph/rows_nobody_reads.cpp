#include "analyzer/graph/rows_nobody_reads.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/row_operators.h"
#include "analyzer/graph/same_sizes.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

constexpr std::int64_t kFewestRows = 4;  // below, one of them is hardly less than all

// select(x, dim, row) of the first row or the last: any sequence has them, also one that is broadcast.
struct Selection {
  Node* node;
  std::size_t dim;
  std::int64_t row;  // 0 or -1
};

std::optional<Selection> selectionAt(Node* n, const TracedValues& traced) {
  if (n->kind() != aten::select) return std::nullopt;
  auto* whole = traced.find(n->input(0));
  auto dim = whole ? dimensionAt(n->input(1), whole->shape.size()) : std::nullopt;
  auto row = constantInt(n->input(2));
  if (!dim || (row != 0 && row != -1) || whole->shape[*dim] < kFewestRows) return std::nullopt;
  return Selection{n, *dim, *row};
}

bool isRepeatable(Node* n) { return isPure(n) || (n->isNondeterministic() && !isRandom(n)); }

// The work behind a selection that can be done for its row alone.
class Rows {
 public:
  Rows(const Selection& selection, const TracedValues& traced) : selection_(selection), traced_(traced) {
    nodes_.push_back(selection.node);
    inside_.insert(selection.node);
    wanted_[selection.node->input(0)] = selection.dim;
    // In reverse, so that all readers of a value are known when its node comes.
    for (Node* n = selection.node->prev(); n->kind() != prim::Param; n = n->prev()) take(n);
    std::reverse(nodes_.begin(), nodes_.end());
  }

  const std::vector<Node*>& nodes() const { return nodes_; }

  bool savesWork() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](Node* n) {
      auto kind = kindOf(n).kind;
      return kind == OperatorKind::MatMul || kind == OperatorKind::Attention;
    });
  }

  MadeRewrite rewrite() const {
    MadeRewrite made;
    std::vector<Value*> parameters;
    made.roots = {selection_.node};
    made.pattern = patternOf(nodes_, {selection_.node->output()}, parameters);
    auto graph = std::make_shared<jit::Graph>();
    std::unordered_map<Value*, Value*> env;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      auto* in = made.pattern->graph->inputs()[i];
      env[parameters[i]] = graph->addInput(made.pattern->parameters[i])->setType(in->type());
    }
    for (Node* n : nodes_) insert(*graph, n, env);
    graph->registerOutput(env.at(selection_.node->output()));
    graph->lint();
    made.replacement = std::make_shared<Replacement>(
        Replacement{graph, {1, Exactness::Reassociates, "", "the work on one row"}, 1});
    return made;
  }

 private:
  void take(Node* n) {
    if (n->outputs().size() != 1) return;
    auto it = wanted_.find(n->output());
    if (it == wanted_.end() || whole_.count(n->output()) || !isRepeatable(n)) return;
    bool readElsewhere = std::any_of(n->output()->uses().begin(), n->output()->uses().end(),
                                     [&](auto& use) { return inside_.count(use.user) == 0; });
    if (readElsewhere) return;
    const auto dim = it->second;
    auto needs = isReshape(n) ? reshapeNeeds(n, dim) : rowNeeds(n, dim, traced_);
    if (!needs) return;
    for (auto& need : *needs)
      if (conflicts(n, need, *needs)) return;
    for (auto& need : *needs)
      if (need.dim) wanted_[n->input(need.operand)] = *need.dim;
      else whole_.insert(n->input(need.operand));
    needs_[n] = *needs;
    nodes_.push_back(n);
    inside_.insert(n);
  }

  // One value cannot be a row for one reader and whole for another, nor for two operands of one.
  bool conflicts(const Node* n, const RowNeed& need, const std::vector<RowNeed>& needs) const {
    Value* v = n->input(need.operand);
    auto it = wanted_.find(v);
    bool here = std::any_of(needs.begin(), needs.end(), [&](auto& other) {
      return n->input(other.operand) == v && other.dim != need.dim;
    });
    return here || (need.dim ? whole_.count(v) || (it != wanted_.end() && it->second != *need.dim)
                             : it != wanted_.end());
  }

  static bool isReshape(const Node* n) { return n->kind() == aten::reshape || n->kind() == aten::view; }

  // The dimensions up to that of the rows are handed on as they are, in every call.
  std::optional<std::vector<RowNeed>> reshapeNeeds(const Node* n, std::size_t dim) const {
    auto *in = traced_.find(n->input(0)), *out = traced_.find(n->output());
    auto* list = n->input(1)->node();
    if (!in || !out || list->kind() != prim::ListConstruct || in->shape.size() <= dim) return std::nullopt;
    for (std::size_t i = 0; i <= dim; ++i) {
      if (i >= list->inputs().size() || in->shape[i] != out->shape[i]) return std::nullopt;
      auto measured = measuredBy(list->input(i), traced_);
      if (!measured.first || sourceOf(measured, traced_) != sourceOf({n->input(0), i}, traced_))
        return std::nullopt;
    }
    return {{{0, dim}}};
  }

  Value* constant(jit::Graph& graph, std::int64_t i) const { return constantOf(graph, i); }

  // The row of a value from outside; what comes from inside is that row already.
  Value* rowOf(jit::Graph& graph, Value* v, std::size_t dim,
               const std::unordered_map<Value*, Value*>& env) const {
    if (inside_.count(v->node())) return env.at(v);
    auto* end = selection_.row == 0 ? constant(graph, 1) : constantOf(graph, c10::IValue());
    return graph.insert(aten::slice, {env.at(v), constant(graph, static_cast<std::int64_t>(dim)),
                                      constant(graph, selection_.row), end, constant(graph, 1)});
  }

  void insert(jit::Graph& graph, Node* n, std::unordered_map<Value*, Value*>& env) const {
    for (Value* in : n->inputs())
      if (auto known = jit::toIValue(in)) env.emplace(in, constantOf(graph, *known));
    if (n == selection_.node) {
      auto* row = rowOf(graph, n->input(0), selection_.dim, env);
      env[n->output()] =
          graph.insert(aten::select,
                       {row, constant(graph, static_cast<std::int64_t>(selection_.dim)), constant(graph, 0)});
      return;
    }
    auto operands = env;  // of this node: rows in the place of wholes
    for (auto& need : needs_.at(n))
      if (need.dim) operands[n->input(need.operand)] = rowOf(graph, n->input(need.operand), *need.dim, env);
    if (isReshape(n)) operands[n->input(1)] = sizesOfOne(graph, n, env);
    Node* copy = graph.insertNode(graph.createClone(n, [&](Value* v) { return operands.at(v); }));
    copy->setSourceRange(jit::SourceRange());
    env[n->output()] = copy->output();
  }

  // The list of sizes with 1 in the place of the rows.
  Value* sizesOfOne(jit::Graph& graph, Node* n, const std::unordered_map<Value*, Value*>& env) const {
    std::vector<Value*> sizes;
    for (std::size_t i = 0; i < n->input(1)->node()->inputs().size(); ++i)
      sizes.push_back(i == needs_.at(n)[0].dim
                          ? constant(graph, 1)
                          : graph.insert(aten::__getitem__, {env.at(n->input(1)),
                                                             constant(graph, static_cast<std::int64_t>(i))}));
    return graph.insertNode(graph.createList(c10::IntType::get(), sizes))->output();
  }

  const Selection& selection_;
  const TracedValues& traced_;
  std::vector<Node*> nodes_;
  std::unordered_set<const Node*> inside_;
  std::unordered_map<const Value*, std::size_t> wanted_;  // of these values one row, along that dimension
  std::unordered_set<const Value*> whole_;                // of these all
  std::unordered_map<const Node*, std::vector<RowNeed>> needs_;
};

}  // namespace

CodedResult findRowsNobodyReads(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    auto selection = selectionAt(n, analysis.traced);
    if (!selection) return;
    Rows rows(*selection, analysis.traced);
    if (!rows.savesWork()) return;
    CodedFinding f;
    f.node = n;
    auto all = analysis.traced.find(n->input(0))->shape[selection->dim];
    f.message = std::to_string(rows.nodes().size() - 1) + " operators work on " + std::to_string(all) +
                " rows, of which only the " + (selection->row == 0 ? "first" : "last") + " is read";
    for (Node* other : rows.nodes())
      if (other != n && kindOf(other).kind != OperatorKind::View) f.related.push_back(other);
    f.rewrite = rows.rewrite();
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty())
    out.whyNothing = "no row is selected of a value whose other rows only row-wise operators have made";
  return out;
}

}  // namespace kadvise::graph
