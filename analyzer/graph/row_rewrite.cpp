#include "analyzer/graph/row_rewrite.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_bias.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_overwrites.h"

namespace kadvise::graph {
namespace {

using jit::Value;
using Dims = RowSpace::Dims;

std::string listOf(const Dims& dims) {
  std::string out;
  for (int d : dims) out += (out.empty() ? "" : ", ") + std::to_string(d);
  return "[" + out + "]";
}

bool isAscending(const Dims& dims) { return std::is_sorted(dims.begin(), dims.end()); }

// The positions of the smallest, the next, ...
Dims orderOf(const Dims& dims) {
  Dims order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return dims[static_cast<std::size_t>(a)] < dims[static_cast<std::size_t>(b)];
  });
  return order;
}

// The program aligns its inputs from the right: dimensions in the order of the space, with one of size 1 for
// each that the value lacks behind its first.
std::string aligned(const std::string& name, const RowSpace::Reading& r, int rank) {
  if (r.how == RowRead::Table || r.dims.empty()) return name;
  Dims order = orderOf(r.dims);
  if (r.how == RowRead::Lists) order.push_back(static_cast<int>(order.size()));
  std::string out = isAscending(r.dims) ? name : "torch.permute(" + name + ", " + listOf(order) + ")";
  int first = *std::min_element(r.dims.begin(), r.dims.end());
  for (int d = first; d < rank; ++d)
    if (std::find(r.dims.begin(), r.dims.end(), d) == r.dims.end())
      out = "torch.unsqueeze(" + out + ", " + std::to_string(d - first) + ")";
  return out;
}

// A result has its dimensions in the order of the space, a value of the module in its own.
std::string inItsOrder(const std::string& name, const Dims& dims) {
  if (isAscending(dims)) return name;
  Dims back(dims.size()), order = orderOf(dims);
  for (std::size_t i = 0; i < order.size(); ++i)
    back[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  return "torch.permute(" + name + ", " + listOf(back) + ")";
}

bool isReshape(const RowRegion& region, const Value* v) {
  return std::any_of(region.nodes.begin(), region.nodes.end(),
                     [&](auto* n) { return n->op.shapedAs && n->node == v->node(); });
}

// A view now of what is stored in its operand's order.
std::string reshaped(const jit::Node* reshape, const std::string& stored, const NameOf& parameter) {
  return callOf(reshape,
                [&](const Value* in) { return in == reshape->inputs()[0] ? stored : parameter(in); });
}

std::string bodyOf(const RowRegion& region, const TracedValues& traced,
                   const std::vector<Value*>& parameters) {
  auto parameter = [&](const Value* v) { return parameterName(parameters, v); };
  std::unordered_map<const Value*, std::string> products;  // of those whose bias the program adds
  std::string calls, inputs, results;
  for (auto* n : region.nodes) {
    if (!n->op.isBias) continue;
    auto& name = products[n->node->output()] = "t" + std::to_string(products.size());
    calls += "    " + name + " = " + callWithoutBias(n->node, parameter) + "\n";
  }
  auto nameOf = [&](const Value* v) {
    if (auto product = products.find(v); product != products.end()) return product->second;
    // Beyond float32 it is infinite, as in arithmetic; a float32 made of it at once would be an error.
    if (isComputedNumber(v))
      return "torch.scalar_tensor(" + parameter(v) + ", dtype=torch.float64).to(torch.float32)";
    return isTensor(v) ? parameter(v) : "torch._unwrap_optional(" + parameter(v) + ")";
  };
  for (auto& r : region.space.readings)
    inputs += (inputs.empty() ? "" : ", ") + aligned(nameOf(r.value), r, region.space.rank);
  for (std::size_t i = 0; i < region.outputs.size(); ++i) {
    Value* v = region.outputs[i];
    auto stored = inItsOrder("r[" + std::to_string(i) + "]", region.space.made.at(v).dims);
    results += (i ? ", " : "") + (isReshape(region, v) ? reshaped(v->node(), stored, parameter) : stored);
  }
  return calls + "    r = " + rowProgramCall(rowProgramText(region, traced), inputs) + "\n    return " +
         results + "\n";
}

}  // namespace

std::string rowTextLiteral(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '\n' ? "\\n" : std::string(1, c);
  return "\"" + escaped + "\"";
}

std::string rowProgramCall(const std::string& text, const std::string& inputs) {
  return "ops.kadvise.row_program(" + rowTextLiteral(text) + ", [" + inputs + "])";
}

std::string rowCopyText(c10::ScalarType dtype, std::size_t rank) {
  const std::string name = nameOf(dtype);
  return "row_program 1\nrank " + std::to_string(rank) + "\nx = in " + name + "\nout x " + name +
         " contiguous\n";
}

std::string rowProgramText(const RowRegion& region, const TracedValues& traced) {
  auto& space = region.space;
  RowWriter w(traced);
  std::vector<RowTerm> inputs;
  for (auto& r : space.readings) inputs.push_back(w.declareInput(rowDtypeOf(r.value, traced), r.how));
  for (std::size_t i = 0; i < region.nodes.size(); ++i) {
    auto& n = *region.nodes[i];
    for (std::size_t k = 0; k < n.op.operands.size(); ++k)
      if (auto read = space.reads[i][k]; read != RowSpace::kInside)
        w.read(n.op.operands[k].value, inputs[read]);
    n.op.write(n.node, w);
  }
  auto over = overwrittenReadings(region, traced);
  for (std::size_t i = 0; i < region.outputs.size(); ++i) {
    auto* v = region.outputs[i];
    w.storeAs(v, {traced.find(v)->dtype, *storedWithoutReduced(space, v), isToldContiguous(region, v, traced),
                  over[i] ? inputs[*over[i]].text : ""});
  }
  std::string reduced;
  for (int d : space.reduced) reduced += " " + std::to_string(d);
  return "row_program 1\nrank " + std::to_string(space.rank) + "\n" +
         (reduced.empty() ? "" : "reduce" + reduced + "\n") + w.text();
}

MadeRewrite rewriteOf(const RowRegion& region, const TracedValues& traced) {
  MadeRewrite made;
  std::vector<jit::Node*> nodes;
  for (auto* n : region.nodes) nodes.push_back(n->node);
  std::vector<Value*> parameters;
  for (auto* v : region.outputs) made.roots.push_back(v->node());
  auto pattern = patternOf(nodes, region.outputs, parameters);
  made.replacement = replacementOf(*pattern, bodyOf(region, traced, parameters),
                                   {kLevelOfGenerated, Exactness::Reassociates, "", "one generated kernel"});
  made.pattern = pattern;
  return made;
}

}  // namespace kadvise::graph
