#include "analyzer/graph/row_dimensions.h"

#include <algorithm>
#include <numeric>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_forms.h"

namespace kadvise::graph {

using jit::Node;
using jit::Value;

void rowLeftOut(const char* why) { throw Error("row program", why); }

std::vector<int> rowDimensionsUpTo(int n) {
  std::vector<int> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

int rowRankOf(const Value* v, const TracedValues& traced) {
  auto r = traced.rank(v);
  if (!r) rowLeftOut("shape-not-known");
  return static_cast<int>(*r);
}

int rowDimensionOf(const Node* n, const char* name, int rank) {
  Value* v = argumentNamed(n, name);
  auto d = v ? dimensionAt(v, static_cast<std::size_t>(std::max(rank, 1))) : std::nullopt;
  if (!d) rowLeftOut("number-is-computed");
  return static_cast<int>(*d);
}

std::vector<int> rowDimensionsOf(const Node* n, int rank) {
  if (rowPixelsOf(n) > 0) {
    auto dims = rowDimensionsUpTo(rank);
    return {dims.end() - std::min(rank, rowPixelsOf(n)), dims.end()};
  }
  Value* v = argumentNamed(n, "dim");
  auto constant = v ? jit::toIValue(v) : std::optional(c10::IValue());
  if (!constant) rowLeftOut("number-is-computed");
  std::vector<std::int64_t> dims;
  if (constant->isInt()) dims = {constant->toInt()};
  else if (constant->isIntList()) dims = constant->toIntVector();
  std::vector<int> out;
  for (auto d : dims) out.push_back(static_cast<int>(d < 0 ? d + rank : d));
  std::sort(out.begin(), out.end());
  return out.empty() ? rowDimensionsUpTo(rank) : out;
}

RowOperator::Operand rowOperandFromTheRight(const Value* v, int rank, const TracedValues& traced) {
  RowOperator::Operand out{v, {}};
  int own = rowRankOf(v, traced);
  if (own > rank) rowLeftOut("shape-not-known");
  for (int d = 0; d < own; ++d) out.at.push_back(rank - own + d);
  return out;
}

}  // namespace kadvise::graph
