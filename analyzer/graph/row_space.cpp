#include "analyzer/graph/row_space.h"

#include <algorithm>

#include "analyzer/graph/disjoint_sets.h"
#include "analyzer/graph/equal_sizes.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_copies.h"

namespace kadvise::graph {
namespace {

using jit::Value;
using Dims = RowSpace::Dims;
using Sizes = std::vector<std::int64_t>;

// A gate for each channel or row (squeeze-and-excitation) costs two steps of the unit for exponentials, which
// one read and one write of the element hide.
constexpr int kMostGatesAgain = 1;
constexpr int kExpensive = 4;  // flops of an element from which on it is not computed again for each row

struct Failed {
  const char* why;
};

// Makes the space of a list of nodes; throws Failed where they have none.
class Maker {
 public:
  Maker(const std::vector<const RowNode*>& nodes, const TracedValues& traced, bool ties)
      : nodes_(nodes), traced_(traced), ties_(ties) {}

  // Nodes that read nothing of each other lie beside each other in what both read; others may not.
  bool couldTie() const { return couldTie_; }

  RowSpace make() {
    for (auto* n : nodes_) place(*n);
    order();
    findReduced();
    findSizes();
    for (auto* n : nodes_) checkTable(*n);
    checkSizesAreOne();
    for (std::size_t i = 0; i < nodes_.size(); ++i) judge(i);
    return std::move(out_);
  }

 private:
  const Sizes& sizesOf(const Value* v) const {
    auto other = shapedAs_.find(v);
    return traced_.find(other == shapedAs_.end() ? v : other->second)->shape;
  }

  void place(const RowNode& n) {
    const int base = axes_.fresh();
    for (int d = 1; d <= n.op.rank; ++d) axes_.fresh();  // one more than there are, so that rank 0 has a base
    spots_.push_back(base);
    out_.reads.emplace_back();
    bool isApart = std::none_of(n.op.operands.begin(), n.op.operands.end(),
                                [&](auto& operand) { return axesOf_.count(operand.value) > 0; });
    for (auto& operand : n.op.operands) {
      Dims axes;
      for (int d : operand.at) axes.push_back(base + d);
      auto inside = axesOf_.find(operand.value);
      out_.reads.back().push_back(inside == axesOf_.end() ? RowSpace::kInside - 1 : RowSpace::kInside);
      if (inside == axesOf_.end()) {
        if (isApart) tie(operand, axes);
        readings_.push_back({operand.value, axes, operand.how});
        continue;
      }
      if (operand.how != RowRead::Elements) throw Failed{"unsupported-form"};
      if (shapedAs_.count(operand.value)) throw Failed{"other-iteration-space"};
      for (std::size_t d = 0; d < axes.size(); ++d) axes_.join(axes[d], inside->second[d]);
    }
    Dims result;
    for (int d : n.op.result) result.push_back(base + d);
    for (const Value* v : n.node->outputs()) axesOf_[v] = result;
    if (n.op.shapedAs) shapedAs_[n.node->output()] = n.op.shapedAs;
    joinSizes(n);
  }

  void tie(const RowOperator::Operand& operand, const Dims& axes) {
    for (auto& r : readings_) {
      if (r.value != operand.value || r.how != operand.how || r.how != RowRead::Elements) continue;
      couldTie_ = true;
      for (std::size_t d = 0; ties_ && d < axes.size(); ++d) axes_.join(axes[d], r.dims[d]);
    }
  }

  // Operands that are broadcast against each other have one size where they have more than one element.
  void joinSizes(const RowNode& n) {
    std::vector<int> known(static_cast<std::size_t>(n.op.rank), -1);
    auto meet = [&](const Value* v, const Dims& dims) {
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if (sizesOf(v)[d] == 1) continue;
        int& first = known[static_cast<std::size_t>(dims[d])];
        if (first < 0) first = sizes_.idOf(v, d);
        else sizes_.join(first, sizes_.idOf(v, d));
      }
    };
    for (auto& operand : n.op.operands)
      if (operand.how == RowRead::Elements) meet(operand.value, operand.at);
    for (const Value* v : n.node->outputs()) meet(v, n.op.result);
  }

  // One node has all dimensions; its order is that of the space. What says how it lies comes before others.
  void order() {
    std::unordered_set<int> all;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (int d = 0; d < nodes_[i]->op.rank; ++d) all.insert(axes_.of(spots_[i] + d));
    for (bool first : {true, false})
      for (std::size_t i = nodes_.size(); i-- > 0 && place_.empty();) {
        auto& op = nodes_[i]->op;
        bool hasAll = static_cast<std::size_t>(op.rank) == all.size();
        if (!op.isView && hasAll && (saysOrder(*nodes_[i], traced_) || !first)) orderAs(i, all.size());
      }
    if (place_.size() != all.size()) throw Failed{"other-iteration-space"};
    out_.rank = static_cast<int>(all.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      std::unordered_set<int> own;
      for (int d = 0; d < nodes_[i]->op.rank; ++d) own.insert(axes_.of(spots_[i] + d));
      if (static_cast<int>(own.size()) != nodes_[i]->op.rank)
        throw Failed{"other-iteration-space"};  // two of its dimensions are one
    }
    for (auto& [v, axes] : axesOf_) out_.made[v].dims = placed(axes);
    addReadings();
  }

  void orderAs(std::size_t node, std::size_t rank) {
    for (int d = 0; d < nodes_[node]->op.rank; ++d) place_.emplace(axes_.of(spots_[node] + d), d);
    if (place_.size() != rank) place_.clear();
  }

  void addReadings() {
    std::size_t next = 0;
    for (auto& node : out_.reads)
      for (auto& read : node) {
        if (read == RowSpace::kInside) continue;
        auto& r = readings_[next++];
        RowSpace::Reading placedOne{r.value, placed(r.dims), r.how};
        auto same = std::find_if(out_.readings.begin(), out_.readings.end(), [&](auto& x) {
          return x.value == placedOne.value && x.dims == placedOne.dims && x.how == placedOne.how &&
                 x.how != RowRead::Lists;  // which one operator reads
        });
        read = static_cast<std::size_t>(same - out_.readings.begin());
        if (same == out_.readings.end()) out_.readings.push_back(placedOne);
      }
  }

  Dims placed(Dims axes) const {
    for (int& a : axes) a = place_.at(axes_.of(a));
    return axes;
  }
  Dims placedOf(std::size_t node, Dims dims) const {
    for (int& d : dims) d = spots_[node] + d;
    return placed(dims);
  }

  void findReduced() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i]->op.reduced.empty()) continue;
      Dims dims = placedOf(i, nodes_[i]->op.reduced);
      std::sort(dims.begin(), dims.end());
      if (!out_.reduced.empty() && out_.reduced != dims) throw Failed{"other-reduced-dimensions"};
      out_.reduced = dims;
    }
  }

  void findSizes() {
    out_.sizes.assign(static_cast<std::size_t>(out_.rank), 1);
    for (auto& r : out_.readings)  // a table's columns lie along the last dimension (checkTable)
      if (r.how == RowRead::Table) out_.sizes.back() = sizesOf(r.value).back();
    for (auto& r : out_.readings)
      for (std::size_t d = 0; r.how != RowRead::Lists && d < r.dims.size(); ++d) {
        auto& size = out_.sizes[static_cast<std::size_t>(r.dims[d])];
        auto own = sizesOf(r.value)[d];
        if (own != 1 && size != 1 && own != size) throw Failed{"other-iteration-space"};
        if (own != 1) size = own;
      }
    for (auto& [v, m] : out_.made)
      for (std::size_t d = 0; d < m.dims.size(); ++d)
        if (auto own = sizesOf(v)[d]; own != 1 && own != out_.sizes[static_cast<std::size_t>(m.dims[d])])
          throw Failed{"other-iteration-space"};  // a size that no input has
  }

  // An embedding reads along the last dimension.
  void checkTable(const RowNode& n) const {
    bool isOfTable = n.op.operands[0].how == RowRead::Table;
    if (isOfTable && out_.made.at(n.node->output()).dims.back() != out_.rank - 1)
      throw Failed{"other-iteration-space"};
  }

  // A row value broadcast against another tensor says nothing of what it was reduced from: their sizes may be
  // equal by chance.
  void checkSizesAreOne() {
    std::vector<int> known(static_cast<std::size_t>(out_.rank), -1);
    for (auto& r : out_.readings)
      for (std::size_t d = 0; r.how == RowRead::Elements && d < r.dims.size(); ++d) {
        if (sizesOf(r.value)[d] == 1) continue;
        int& first = known[static_cast<std::size_t>(r.dims[d])];
        int id = sizes_.idOf(r.value, d);
        if (first >= 0 && !sizes_.areEqual(first, id)) throw Failed{"other-iteration-space"};
        first = id;
      }
  }

  bool isReducedDim(int d) const { return std::binary_search(out_.reduced.begin(), out_.reduced.end(), d); }
  Sizes spanOf(const Value* v, const Dims& dims) const {
    Sizes span(out_.sizes.size(), 1);
    for (std::size_t d = 0; d < dims.size(); ++d) span[static_cast<std::size_t>(dims[d])] = sizesOf(v)[d];
    return span;
  }
  bool covers(const Value* v, const Dims& dims, bool rowsOnly) const {
    const Sizes have = spanOf(v, dims);
    for (std::size_t d = 0; d < have.size(); ++d)
      if (have[d] != out_.sizes[d] && !(rowsOnly && isReducedDim(static_cast<int>(d)))) return false;
    return true;
  }

  // What is reduced is there for every point of the space; of a pair, each of the two along those dimensions.
  void checkReduced(std::size_t i) const {
    auto& op = nodes_[i]->op;
    Sizes all(out_.sizes.size(), 1);
    for (std::size_t k = 0; k < (op.isOfPairs() ? op.operands.size() : 1); ++k) {
      const Value* v = op.operands[k].value;
      const Sizes span = spanOf(v, placedOf(i, op.operands[k].at));
      bool isRow = out_.reads[i][k] == RowSpace::kInside && out_.made.at(v).isRow;
      for (std::size_t d = 0; d < all.size(); ++d) {
        isRow = isRow || (isReducedDim(static_cast<int>(d)) && span[d] != out_.sizes[d]);
        all[d] = std::max(all[d], span[d]);
      }
      if (isRow) throw Failed{"other-iteration-space"};
    }
    if (all != out_.sizes) throw Failed{"other-iteration-space"};
  }

  // What a node's values are over the space.
  void judge(std::size_t i) {
    auto& n = *nodes_[i];
    bool anyRow = false, anyOther = false;
    int phase = 0, first = out_.rank;
    for (std::size_t k = 0; k < n.op.operands.size(); ++k) {
      const Value* v = n.op.operands[k].value;
      if (out_.reads[i][k] != RowSpace::kInside) {
        anyOther = true;
        if (n.op.operands[k].how == RowRead::Lists) continue;  // what it has is the index's
        for (int d : placedOf(i, n.op.operands[k].at)) first = std::min(first, d);
        continue;
      }
      auto& m = out_.made.at(v);
      first = std::min(first, m.first);
      (m.isRow ? anyRow : anyOther) = true;
      phase = std::max(phase, phaseOf_[v]);
    }
    if (!n.op.reduced.empty()) checkReduced(i);
    bool isRow = n.op.isReduction || (anyRow && !anyOther);
    if (!n.op.reduced.empty()) ++phase;
    out_.phases = std::max(out_.phases, phase);
    for (const Value* v : n.node->outputs()) {
      auto& m = out_.made.at(v);
      m.isRow = isRow;
      m.first = first;
      m.isFull = covers(v, m.dims, isRow);
      phaseOf_[v] = phase;
      bool isAgain = !m.isFull && !n.op.isView && n.expensive >= kExpensive && !v->uses().empty();
      if (isAgain && !(n.node->kind() == c10::aten::sigmoid && gatesAgain_++ < kMostGatesAgain))
        throw Failed{"expensive-to-repeat"};
    }
  }

  const std::vector<const RowNode*>& nodes_;
  const TracedValues& traced_;
  RowSpace out_;
  DisjointSets axes_;
  EqualSizes sizes_;
  std::vector<int> spots_;                   // of each node: the axis of its first dimension
  std::vector<RowSpace::Reading> readings_;  // with axes for dims
  std::unordered_map<const Value*, Dims> axesOf_;
  std::unordered_map<const Value*, const Value*> shapedAs_;  // of reshapes, which go on in another shape
  std::unordered_map<int, int> place_;                       // axis -> dimension of the space
  std::unordered_map<const Value*, int> phaseOf_;
  int gatesAgain_ = 0;
  bool ties_, couldTie_ = false;
};

}  // namespace

std::optional<RowSpace> spaceOf(const std::vector<const RowNode*>& nodes, const TracedValues& traced,
                                std::string& why) {
  for (bool ties : {false, true}) {  // tied last: a tensor may be meant at two places
    Maker maker(nodes, traced, ties);
    try {
      return maker.make();
    } catch (const Failed& f) {
      if (!ties) why = f.why;
      if (!maker.couldTie()) break;
    }
  }
  return std::nullopt;
}

}  // namespace kadvise::graph
