#include "analyzer/graph/row_overwrites.h"

#include <algorithm>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Value;

const RowNode* nodeIn(const RowRegion& region, const jit::Node* n) {
  auto at = std::find_if(region.nodes.begin(), region.nodes.end(), [&](auto* one) { return one->node == n; });
  return at == region.nodes.end() ? nullptr : *at;
}

// A product whose bias the region adds is called by the region itself; what reads it reads the sum.
bool isReadHereAlone(const RowRegion& region, const Value* v) {
  if (auto* own = nodeIn(region, v->node())) return own->op.isBias;
  return std::all_of(v->uses().begin(), v->uses().end(), [&](auto& use) { return nodeIn(region, use.user); });
}

bool isReadOnce(const RowRegion& region, const Value* v) {
  auto& readings = region.space.readings;
  return std::count_if(readings.begin(), readings.end(), [&](auto& r) { return r.value == v; }) == 1;
}

bool isOverwritten(const RowRegion& region, std::size_t reading, const Value* result,
                   const TracedValues& traced) {
  auto& r = region.space.readings[reading];
  if (!readingsBehind(region, result, Behind::Everything).count(reading)) return false;
  if (r.how != RowRead::Elements || !isTensor(r.value) || !isFresh(r.value)) return false;
  auto *read = traced.find(r.value), *made = traced.find(result);
  return read && made && read->dtype == made->dtype && r.dims == region.space.made.at(result).dims &&
         read->shape == made->shape && isReadOnce(region, r.value) && isReadHereAlone(region, r.value);
}

}  // namespace

std::vector<std::optional<std::size_t>> overwrittenReadings(const RowRegion& region,
                                                            const TracedValues& traced) {
  std::vector<std::optional<std::size_t>> over;
  for (auto* v : region.outputs) {
    auto& chosen = over.emplace_back();
    for (std::size_t i = 0; i < region.space.readings.size() && !chosen; ++i) {
      bool isTaken = std::find(over.begin(), over.end(), i) != over.end();
      if (!isTaken && isOverwritten(region, i, v, traced)) chosen = i;
    }
  }
  return over;
}

}  // namespace kadvise::graph
