#include "analyzer/graph/row_share.h"

#include <algorithm>
#include <map>

#include "analyzer/graph/cost.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_copies.h"

namespace kadvise::graph {
namespace {

struct Sum {
  int operators = 0;
  double bytes = 0;
  double most = -1;
  std::string example;
};

// `parts += [x]` is aten::add_ too, and computes nothing.
bool joinsLists(const torch::jit::Node* n) {
  auto isList = [](const torch::jit::Value* v) { return v->type()->kind() == c10::TypeKind::ListType; };
  return !n->inputs().empty() && isList(n->input(0)) && n->outputs().size() == 1 && isList(n->output());
}

}  // namespace

GeneratedShare shareOf(torch::jit::Graph& graph, const RowSearch& search, const TracedValues& traced) {
  GeneratedShare out;
  out.regions = static_cast<int>(search.regions.size());
  for (auto& region : search.regions)
    for (auto* n : region.nodes) {
      if (n->op.isBias || isRowCopy(*n, traced)) continue;  // a pass of a product, and what computes nothing
      auto cost = costOf(n->node, traced);
      if (cost.kernels == 0) continue;
      ++out.operators;
      out.bytes += cost.bytes(), out.bytesInside += cost.bytes();
    }
  std::map<std::string, Sum> sums;
  forEachNode(graph.block(),
              [&](torch::jit::Node* n) {  // in the order of the graph, so that reports are equal
                auto left = search.leftOut.find(n);
                bool isCounted = left != search.leftOut.end() && !joinsLists(n);
                auto cost = isCounted ? costOf(n, traced) : Cost{};
                if (cost.kernels == 0) return;
                auto& sum = sums[left->second];
                ++sum.operators;
                sum.bytes += cost.bytes(), out.bytes += cost.bytes();
                if (cost.bytes() > sum.most) sum.most = cost.bytes(), sum.example = n->kind().toQualString();
              });
  for (auto& [reason, sum] : sums) out.leftOut.push_back({reason, sum.operators, sum.bytes, sum.example});
  std::stable_sort(out.leftOut.begin(), out.leftOut.end(),
                   [](auto& a, auto& b) { return a.bytes > b.bytes; });
  return out;
}

}  // namespace kadvise::graph
