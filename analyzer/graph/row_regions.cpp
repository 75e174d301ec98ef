#include "analyzer/graph/row_regions.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/row_bias.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_neighbours.h"
#include "analyzer/graph/row_worth.h"
#include "analyzer/graph/shape_table.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
using Places = std::vector<std::size_t>;

constexpr std::size_t kMostNodes = 64, kMostReadings = 24, kMostStored = 8;
// A row that does not fit into registers is read again from memory, for each input.
constexpr double kLongRow = 8192;
// The mean of as many takes in what computes them for it alone (GELU and the mean of 254x254 pixels with
// channels last: 692 us in one kernel, 995 and 475 in two, on an H200). Smaller images have not been
// measured.
constexpr double kManyPixels = 4096;
constexpr std::size_t kMostOfLongRows = 4;
constexpr int kMostPhases = 4;  // reductions of reductions

// Operators whose bytes the search answers for: copies that only change the layout are none.
bool isRowWork(const Node* n) {
  auto kind = kindOf(n).kind;
  bool isCast = n->kind() == jit::aten::to || n->kind() == jit::aten::type_as;
  return kind == OperatorKind::Pointwise || kind == OperatorKind::Reduction || kind == OperatorKind::Norm ||
         isCast;
}

// A cast to the dtype that the tensor has computes nothing: who gets the result gets the tensor itself.
bool handsOn(const Node* n, const TracedValues& traced) {
  return (n->kind() == jit::aten::to || n->kind() == jit::aten::type_as) &&
         overlapOf(n, traced) == Overlap::Shared;
}

class BlockSearch {
 public:
  BlockSearch(jit::Block* block, const TracedValues& traced, const Aliases& aliases, RowSearch& out)
      : traced_(traced),
        aliases_(aliases),
        out_(out),
        neighbours_(block),
        row_(neighbours_.size()),
        why_(neighbours_.size()) {}

  void run() {
    for (std::size_t i = 0; i < neighbours_.size(); ++i) read(i);
    constexpr int kPasses = 2;  // what was in the way of a pair may have joined it since
    for (int pass = 0; pass < kPasses; ++pass)
      for (std::size_t i = 0; i < neighbours_.size(); ++i)
        if (row_[i] && !row_[i]->op.isView) joinWithMakers(i);
    joinSiblings();
    for (std::size_t i = 0; i < neighbours_.size(); ++i)
      if (row_[i] && neighbours_.members(neighbours_.groupOf(i)).front() == i) finish(neighbours_.groupOf(i));
    for (std::size_t i = 0; i < neighbours_.size(); ++i)
      if (!why_[i].empty() && isRowWork(neighbours_.at(i))) out_.leftOut.emplace(neighbours_.at(i), why_[i]);
  }

 private:
  void read(std::size_t place) {
    Node* n = neighbours_.at(place);
    std::string why;
    if (!n->blocks().empty()) return;
    auto op = rowOperatorOf(n, traced_, why);
    if (!op && (op = biasPassOf(n, traced_))) why.clear(), neighbours_.readsBefore(place);
    if (!op && (op = reshapeCopyOf(n, traced_))) why.clear();
    if (op && isRandom(n)) why = "random";
    else if (op && (!isPure(n) || isWritten(n))) why = "writes-memory";
    why_[place] = why;
    if (!op || !why.empty()) return;
    op->isView = op->isView || handsOn(n, traced_);
    auto expensive = op->isBias ? 1 : static_cast<int>(kindOf(n).flopsPerElement);
    out_.nodes.push_back(std::make_shared<RowNode>(RowNode{n, std::move(*op), expensive}));
    row_[place] = out_.nodes.back().get();
  }

  bool isWritten(const Node* n) const {
    auto written = [&](const Value* v) { return isTensor(v) && aliases_.hasWriters(v); };
    return std::any_of(n->outputs().begin(), n->outputs().end(), written) ||
           std::any_of(n->inputs().begin(), n->inputs().end(),
                       [&](const Value* v) { return isTensor(v) && aliases_.hasWritersFrom(v, n); });
  }

  // The place of what makes the value, where it is one for a row program, and the views on the way to it.
  std::optional<std::size_t> makerOf(const Value* v, Places& views) const {
    const Node* n = v->node();
    if (n->kind() == jit::prim::Param || n->owningBlock() != neighbours_.at(0)->owningBlock())
      return std::nullopt;
    std::size_t place = neighbours_.placeOf(n);
    if (!row_[place]) return std::nullopt;
    if (!row_[place]->op.isView || neighbours_.members(neighbours_.groupOf(place)).size() > 1) return place;
    views.push_back(place);
    return makerOf(row_[place]->op.operands[0].value, views);
  }

  void joinWithMakers(std::size_t place) {
    for (auto& operand : row_[place]->op.operands) {
      if (operand.how != RowRead::Elements) continue;
      Places views;
      auto maker = makerOf(operand.value, views);
      if (!maker || neighbours_.groupOf(*maker) == neighbours_.groupOf(place)) continue;
      tryToJoin(place, *maker, views);
    }
  }

  Places unionOf(std::size_t a, std::size_t b, const Places& views) const {
    Places all = neighbours_.members(neighbours_.groupOf(a));
    auto& more = neighbours_.members(neighbours_.groupOf(b));
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), views.begin(), views.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // What reads the same tensor, all of it, reads it once: q + u and q + v. Each with the next that can be
  // joined, so that a tensor that thousands read takes no longer than they are many.
  void joinSiblings() {
    std::unordered_set<const Value*> done;
    for (std::size_t i = 0; i < neighbours_.size(); ++i)
      if (row_[i])
        for (auto& operand : row_[i]->op.operands)
          if (done.insert(operand.value).second) joinReadersOf(operand.value);
  }

  void joinReadersOf(const Value* v) {
    Places readers;
    for (auto& use : v->uses()) {
      if (use.user->owningBlock() != neighbours_.at(0)->owningBlock()) continue;
      std::size_t place = neighbours_.placeOf(use.user);
      if (place < neighbours_.size() && row_[place] && isAllOf(v, place)) readers.push_back(place);
    }
    std::sort(readers.begin(), readers.end());
    for (std::size_t i = 1, last = 0; i < readers.size(); last = i++) {
      std::size_t a = neighbours_.groupOf(readers[last]), b = neighbours_.groupOf(readers[i]);
      if (a == b || !isFlat(a) || !isFlat(b)) continue;
      Places all = unionOf(readers[last], readers[i], {});
      if (!whyNotJoined(all).empty()) continue;
      for (auto p : all) neighbours_.join(readers[i], p);
    }
  }

  // Element by element alone: rows of a reduction would wait for what is beside them, a bias and a reshape
  // have a place in their program, and a view is no work to be done at once.
  bool isFlat(std::size_t group) const {
    auto& places = neighbours_.members(group);
    return std::all_of(places.begin(), places.end(), [&](auto p) {
      auto& op = row_[p]->op;
      return op.reduced.empty() && !op.isBias && !op.isView && !op.shapedAs;
    });
  }

  bool isAllOf(const Value* v, std::size_t place) const {
    auto *read = traced_.find(v), *made = traced_.find(neighbours_.at(place)->output(0));
    return read && made && isTensor(v) && read->shape == made->shape && elements(*read) > 1;
  }

  // What is computed on the host stays there.
  bool areOnOneDevice(const Places& all) const {
    auto deviceOf = [&](std::size_t p) { return traced_.find(neighbours_.at(p)->output(0))->device; };
    return std::all_of(all.begin(), all.end(), [&](auto p) { return deviceOf(p) == deviceOf(all[0]); });
  }

  std::string whyNotJoined(const Places& all) {
    std::string why;
    bool isAlone = std::any_of(all.begin(), all.end(), [&](auto p) { return row_[p]->op.staysAlone; });
    if (all.size() > kMostNodes) return "too-large";
    if (!areOnOneDevice(all)) return "moves-between-devices";
    if (neighbours_.returnsInto(all)) return "needed-in-between";
    auto region = regionOf(all, why);
    if (!region) return why.empty() ? "other-iteration-space" : why;
    bool isOfMany = region->space.elementsOfRow() >= kManyPixels && !storesAll(*region);
    return isAlone && !isOfMany ? "other-iteration-space" : "";
  }

  // Something of every element, and not of the rows alone.
  bool storesAll(const RowRegion& r) const {
    return std::any_of(r.outputs.begin(), r.outputs.end(), [&](auto* v) {
      auto* made = traced_.find(v);
      return !made || elements(*made) >= r.space.elements();
    });
  }

  void tryToJoin(std::size_t place, std::size_t maker, const Places& views) {
    Places all = unionOf(place, maker, views);
    std::string why = whyNotJoined(all);
    if (!why.empty()) {
      why_[place] = why;
      if (why_[maker].empty()) why_[maker] = why;
      return;
    }
    for (auto p : all) neighbours_.join(place, p);
  }

  // nullopt, and why, where one kernel cannot compute them.
  std::optional<RowRegion> regionOf(const Places& places, std::string& why) const {
    RowRegion region;
    for (auto p : places) region.nodes.push_back(row_[p]);
    auto space = spaceOf(region.nodes, traced_, why);
    if (!space) return std::nullopt;
    region.space = std::move(*space);
    for (auto p : places)
      for (Value* v : neighbours_.at(p)->outputs())
        if (isReadOutside(v, places)) region.outputs.push_back(v);
    why = whyNot(region, places);
    return why.empty() ? std::optional(std::move(region)) : std::nullopt;
  }

  bool isReadOutside(const Value* v, const Places& places) const {
    return std::any_of(v->uses().begin(), v->uses().end(), [&](auto& use) {
      return use.user->owningBlock() != v->node()->owningBlock() ||
             !std::binary_search(places.begin(), places.end(), neighbours_.placeOf(use.user));
    });
  }

  std::string whyNot(const RowRegion& r, const Places& places) const {
    if (r.space.readings.size() > kMostReadings || r.outputs.size() > kMostStored ||
        r.space.phases > kMostPhases)
      return "too-large";
    for (auto* v : r.outputs)  // what is expanded has its sizes of others
      if (v->node()->kind() == jit::aten::expand_as || !storedWithoutReduced(r.space, v) ||
          losesItsOrder(r, v, traced_))
        return "other-iteration-space";
    std::size_t full = 0;
    for (auto& reading : r.space.readings) {
      if (aliases_.hasWritersFrom(reading.value, neighbours_.at(places.front()))) return "writes-memory";
      if (auto* t = traced_.find(reading.value); t && elements(*t) >= r.space.elements()) ++full;
    }
    bool isLong = !r.space.reduced.empty() && r.space.elementsOfRow() > kLongRow;
    return isLong && full > kMostOfLongRows ? "too-many-inputs" : "";
  }

  void finish(std::size_t group) {
    auto& places = neighbours_.members(group);
    std::string why;
    auto region = regionOf(places, why);
    if (region) why = whyNotWorth(*region, traced_);
    for (auto p : places) {
      if (why.empty()) why_[p].clear();
      else if (why_[p].empty() || !region) why_[p] = why;
    }
    if (!region || !why.empty()) return;
    std::reverse(region->outputs.begin(), region->outputs.end());  // the last is where all inputs are there
    out_.regions.push_back(std::move(*region));
  }

  const TracedValues& traced_;
  const Aliases& aliases_;
  RowSearch& out_;
  RowNeighbours neighbours_;
  std::vector<const RowNode*> row_;  // by place; nullptr for what no row program computes
  std::vector<std::string> why_;     // by place
};

void searchBlock(jit::Block* block, const TracedValues& traced, const Aliases& aliases, RowSearch& out) {
  BlockSearch(block, traced, aliases, out).run();
  for (Node* n : block->nodes())
    for (jit::Block* inner : n->blocks())
      if (!isTable(n)) searchBlock(inner, traced, aliases, out);  // what stands behind a table does not run
}

}  // namespace

std::set<std::size_t> readingsBehind(const RowRegion& region, const Value* v, Behind behind) {
  std::unordered_set<const Node*> needed = {v->node()};
  std::set<std::size_t> found;
  for (std::size_t i = region.nodes.size(); i-- > 0;) {
    auto& n = *region.nodes[i];
    if (!needed.count(n.node) || (behind == Behind::NoReduction && n.op.isReduction)) continue;
    for (std::size_t k = 0; k < n.op.operands.size(); ++k) {
      auto read = region.space.reads[i][k];
      if (read == RowSpace::kInside) needed.insert(n.op.operands[k].value->node());
      else found.insert(read);
    }
  }
  return found;
}

RowSearch findRowRegions(jit::Graph& graph, const TracedValues& traced, const Aliases& aliases) {
  RowSearch out;
  searchBlock(graph.block(), traced, aliases, out);
  return out;
}

}  // namespace kadvise::graph
