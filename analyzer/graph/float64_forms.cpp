#include "analyzer/graph/float64_forms.h"

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;

// Rows of one matrix, as many of them as the ends say for each of the others. What is behind the last end is
// left unwritten by the operator.
const char* kGrouped = R"(
def grouped(a: Tensor, b: Tensor, ends: Optional[Tensor], bias: Optional[Tensor]) -> Tensor:
  assert bias is None and b.dim() == 3, "a grouped product of this form has no float64"
  if ends is None:
    out = torch.matmul(a, b)
  else:
    assert a.dim() == 2, "a grouped product of this form has no float64"
    pieces: List[Tensor] = []
    first = 0
    for group in range(ends.size(0)):
      end = int(ends[group])
      pieces.append(torch.matmul(a[first:end], b[group]))
      first = end
    pieces.append(torch.zeros([a.size(0) - first, b.size(2)], dtype=a.dtype, device=a.device))
    out = torch.cat(pieces)
  return out
)";

}  // namespace

void writeOutForFloat64(jit::Graph& graph) {
  static const auto kKind = c10::Symbol::fromQualString("aten::_grouped_mm");
  for (Node* n : nodesWhere(graph.block(), [](Node* n) { return n->kind() == kKind; })) {
    static const auto unit = scriptUnit(kGrouped);  // few modules want it
    jit::WithInsertPoint here(n);
    auto copy = graphOfFunction(*unit, "grouped");
    auto out = jit::insertGraph(graph, *copy, n->inputs().slice(0, 4));
    n->output()->replaceAllUsesWith(out.at(0));
    n->destroy();
  }
}

}  // namespace kadvise::graph
