#include "analyzer/graph/row_regions.h"

#include <algorithm>
#include <optional>

#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/cost.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/row_bias.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_neighbours.h"
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
constexpr std::size_t kMostOfLongRows = 4;
constexpr double kSmallestBias = 256 << 10;  // bytes of its pass: below, the launch is what takes the time
constexpr int kMostPhases = 4;               // reductions of reductions

bool isProduct(const Node* n) {
  auto kind = kindOf(n).kind;
  return kind == OperatorKind::MatMul || kind == OperatorKind::Convolution || kind == OperatorKind::Attention;
}

// Operators whose bytes the search answers for: copies that only change the layout are none.
bool isRowWork(const Node* n) {
  auto kind = kindOf(n).kind;
  bool isCast = n->kind() == jit::aten::to || n->kind() == jit::aten::type_as;
  return kind == OperatorKind::Pointwise || kind == OperatorKind::Reduction || kind == OperatorKind::Norm ||
         isCast;
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
      if (operand.isTable) continue;
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

  void tryToJoin(std::size_t place, std::size_t maker, const Places& views) {
    Places all = unionOf(place, maker, views);
    std::string why;
    bool isAlone = std::any_of(all.begin(), all.end(), [&](auto p) { return row_[p]->op.staysAlone; });
    if (all.size() > kMostNodes) why = "too-large";
    else if (isAlone) why = "other-iteration-space";
    else if (neighbours_.returnsInto(all)) why = "needed-in-between";
    else if (!regionOf(all, why)) why = why.empty() ? "other-iteration-space" : why;
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
    for (auto* v : r.outputs)
      if (!storedWithoutReduced(r.space, v)) return "other-iteration-space";
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
    if (region) why = whyNotWorth(*region);
    for (auto p : places) {
      if (why.empty()) why_[p].clear();
      else if (why_[p].empty() || !region) why_[p] = why;
    }
    if (!region || !why.empty()) return;
    std::reverse(region->outputs.begin(), region->outputs.end());  // the last is where all inputs are there
    out_.regions.push_back(std::move(*region));
  }

  std::string whyNotWorth(RowRegion& r) const {
    if (r.outputs.empty()) return "unused";
    for (auto* n : r.nodes) {
      auto cost = rowCostOf(n->node, n->op, traced_);
      r.bytesBefore += cost.bytes();
      r.kernelsBefore += cost.kernels;
    }
    for (auto& reading : r.space.readings)
      if (auto* t = traced_.find(reading.value); t && !reading.isTable) r.bytesAfter += bytesOf(*t);
    for (auto* v : r.outputs) r.bytesAfter += denseBytes(*traced_.find(v));
    for (auto* n : r.nodes)  // of a table the rows that are taken
      if (n->op.operands[0].isTable) r.bytesAfter += denseBytes(*traced_.find(n->node->output()));
    bool isWorth = r.kernelsBefore >= 2 || isInSeveralPasses(r) || isBoundByArithmetic(r) ||
                   isMeanOfPixels(r) || isOneCopy(r) || isOneBias(r);
    return isWorth ? "" : alone(r);
  }

  // One operator of ATen's that takes longer than its memory does: gelu of 16 bits (1.09 and 1.11 times the
  // generated one in ViT-B/16 and its like on an H200, with cold caches; of 32 bits no more than 1.05).
  bool isBoundByArithmetic(const RowRegion& r) const {
    return r.kernelsBefore == 1 && std::any_of(r.nodes.begin(), r.nodes.end(), [&](auto* n) {
             auto* t = traced_.find(n->node->output(0));
             return n->node->kind() == c10::aten::gelu && t && c10::isReducedFloatingType(t->dtype);
           });
  }

  bool isOneCopy(const RowRegion& r) const {
    return r.kernelsBefore == 1 &&
           std::any_of(r.nodes.begin(), r.nodes.end(), [&](auto* n) { return isWorthACopy(*n, traced_); });
  }

  // ATen adds it an element a thread, and divides for its channel.
  bool isOneBias(const RowRegion& r) const {
    return r.kernelsBefore == 1 && r.bytesBefore >= kSmallestBias && r.nodes.front()->op.isBias;
  }

  // ATen's mean of images in channels_last takes longer than its memory does (8 us in EfficientNet-B0 on an
  // H100).
  bool isMeanOfPixels(const RowRegion& r) const {
    if (!r.nodes.front()->op.staysAlone) return false;
    auto* image = traced_.find(r.nodes.front()->node->input(0));
    return image && layoutOf(*image) == ImageLayout::Last;
  }

  // One operator of ATen's that reads its rows more than once.
  static bool isInSeveralPasses(const RowRegion& r) {
    return r.kernelsBefore == 1 && std::any_of(r.nodes.begin(), r.nodes.end(), [](auto* n) {
             return n->node->kind().is_aten() && kindOf(n->node).kind == OperatorKind::Norm &&
                    !n->op.reduced.empty();
           });
  }

  std::string alone(const RowRegion& r) const {
    bool behind = std::any_of(r.space.readings.begin(), r.space.readings.end(),
                              [](auto& reading) { return isProduct(reading.value->node()); });
    bool before = std::any_of(r.outputs.begin(), r.outputs.end(), [](auto* v) {
      return std::any_of(v->uses().begin(), v->uses().end(), [](auto& use) { return isProduct(use.user); });
    });
    return behind && before ? "between-two-products" : "alone-saves-nothing";
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

RowSearch findRowRegions(jit::Graph& graph, const TracedValues& traced, const Aliases& aliases) {
  RowSearch out;
  searchBlock(graph.block(), traced, aliases, out);
  return out;
}

}  // namespace kadvise::graph
