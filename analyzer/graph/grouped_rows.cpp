#include "analyzer/graph/grouped_rows.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/norm_statements.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_rewrite.h"
#include "analyzer/graph/row_writer.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// group_norm(rows [n, groups * width], groups, weight, bias, eps)
struct GroupedRows {
  Node* node;
  Value *rows, *weight, *bias;  // nullptr for none
  c10::ScalarType dtype;
  std::int64_t groups, width;
  double eps;
};

std::optional<GroupedRows> groupedRows(Node* n, const TracedValues& traced) {
  if (n->kind() != jit::aten::group_norm) return std::nullopt;
  auto* rows = tensorSeen(n->input(0), traced);
  auto groups = constantInt(n->input(1));
  auto eps = jit::toIValue(n->input(4));
  if (!rows || rows->shape.size() != 2 || !groups || *groups < 1 || !eps || !eps->isDouble())
    return std::nullopt;
  auto given = [&](std::size_t i) { return isNone(n->input(i)) ? nullptr : n->input(i); };
  return GroupedRows{
      n, n->input(0), given(2), given(3), rows->dtype, *groups, rows->shape[1] / *groups, eps->toDouble()};
}

std::optional<Mismatch> whyNotTaken(const GroupedRows& g, const TracedValues& traced) {
  if (!c10::isFloatingType(g.dtype) || !isRowDtype(g.dtype))
    return Mismatch{"the rows", "are of a dtype that generated kernels do not have"};
  for (auto* v : {g.weight, g.bias}) {
    auto* t = v ? tensorSeen(v, traced) : nullptr;
    if (v && (!t || t->dtype != g.dtype))
      return Mismatch{"weight or bias", "have another dtype than the rows"};
  }
  return std::nullopt;
}

std::string programOf(const GroupedRows& g, const TracedValues& traced) {
  RowWriter w(traced);
  auto declare = [&](const Value* v) {
    return v ? std::optional(w.declareInput(g.dtype, RowRead::Elements)) : std::nullopt;
  };
  RowTerm x = *declare(g.rows);
  auto weight = declare(g.weight), bias = declare(g.bias);
  w.define(g.node->output(), normByOneReduction(w, x, weight, bias, g.eps));
  w.storeAs(g.node->output(), {.dtype = g.dtype, .isContiguous = true});
  return "row_program 1\nrank 3\nreduce 2\n" + w.text();
}

// A group is a row of its own in a view.
MadeRewrite inOneKernel(const GroupedRows& g, const TracedValues& traced) {
  MadeRewrite made;
  std::vector<Value*> parameters;
  made.roots = {g.node};
  auto pattern = patternOf(made.roots, {g.node->output()}, parameters);
  const std::string sizes = std::to_string(g.groups) + ", " + std::to_string(g.width);
  const std::string channels = std::to_string(g.groups * g.width);
  auto nameOf = [&](Value* v) { return parameterName(parameters, v); };
  std::string isAlike = "torch.size(" + nameOf(g.rows) + ", 1) == " + channels;
  for (auto* v : {g.weight, g.bias})
    if (v) isAlike += " and torch.numel(" + nameOf(v) + ") == " + channels;
  auto groupsOf = [&](Value* v, const std::string& before) {
    return "torch.reshape(" + nameOf(v) + ", [" + before + sizes + "])";
  };
  std::string inputs = groupsOf(g.rows, "-1, ");
  for (auto* v : {g.weight, g.bias})
    if (v) inputs += ", " + groupsOf(v, "");
  std::string call = rowProgramCall(programOf(g, traced), inputs);
  std::string body = "    assert " + isAlike + ", \"kadvise specialised this module to group norms of " +
                     channels + " channels\"\n    return torch.reshape(" + call + "[0], [-1, " + channels +
                     "])\n";
  made.replacement = replacementOf(
      *pattern, body,
      {kLevelOfGenerated, Exactness::Reassociates, "", "one generated kernel over the groups of all rows"});
  made.pattern = pattern;
  return made;
}

}  // namespace

CodedResult findGroupedRows(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    auto g = groupedRows(n, analysis.traced);
    if (!g) return;
    if (auto why = whyNotTaken(*g, analysis.traced)) {
      out.refused.push_back({n, *why});
      return;
    }
    CodedFinding f;
    f.node = n;
    f.message = "a group norm of rows without pixels gives each group of " + std::to_string(g->width) +
                " elements to a block of threads, and makes a pass of its own for weight and bias";
    f.rewrite = inOneKernel(*g, analysis.traced);
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty() && out.refused.empty()) out.whyNothing = "no group norm of two dimensions";
  return out;
}

}  // namespace kadvise::graph
