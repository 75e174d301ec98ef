#include "analyzer/graph/row_statements.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_dimensions.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

enum class Form {
  Pointwise,
  Slopes,
  Along,
  Norm,
  Reduction,
  Pairs,
  Channels,
  Gather,
  Unsqueeze,
  Permute,
  Expand
};

void take(const Node* n, RowWriter& w, const char* word) {
  w.define(n->output(), w.say(RowType::Float, word, {w.termOf(n->inputs()[0]), w.termOf(n->inputs()[1])}));
}

void pick(const Node* n, RowWriter& w, const char* word) {
  RowTerm lists = w.termOf(n->inputs()[0]), index = w.termOf(n->input(2));
  w.define(n->output(), w.say(lists.type, word, {lists, index}));
}

constexpr RowWord kGathers[] = {{"aten::embedding", take, "take"}, {"aten::gather", pick, "pick"}, {}};
constexpr RowWord kOrders[] = {{"aten::transpose", rowSame}, {"aten::permute", rowSame}, {}};
constexpr RowWord kUnsqueezes[] = {{"aten::unsqueeze", rowSame}, {}};
constexpr RowWord kExpands[] = {{"aten::expand_as", rowSame}, {}};

struct Entry {
  Form form;
  const RowWord* word;
};

const std::unordered_map<c10::Symbol, Entry>& table() {
  static const auto made = [] {
    std::unordered_map<c10::Symbol, Entry> out;
    auto addAll = [&](Form form, const RowWord* words) {
      for (auto* w = words; w->name; ++w) out.emplace(c10::Symbol::fromQualString(w->name), Entry{form, w});
    };
    addAll(Form::Pointwise, kRowPointwise), addAll(Form::Pointwise, kRowChoices);
    addAll(Form::Pointwise, kRowActivations), addAll(Form::Pointwise, kRowLosses);
    addAll(Form::Slopes, kRowSlopes), addAll(Form::Pairs, kRowPairs);
    addAll(Form::Along, kRowAlong), addAll(Form::Norm, kRowNorms);
    addAll(Form::Reduction, kRowReductions), addAll(Form::Channels, kRowChannelNorms);
    addAll(Form::Gather, kGathers), addAll(Form::Unsqueeze, kUnsqueezes);
    addAll(Form::Permute, kOrders), addAll(Form::Expand, kExpands);
    return out;
  }();
  return made;
}

bool isPool(const Node* n) { return rowPixelsOf(n) > 0; }

bool isOperand(const Value* v) { return isTensor(v) && !jit::toIValue(const_cast<Value*>(v)); }

RowOperator pointwise(const Node* n, const TracedValues& traced) {
  RowOperator op;
  op.rank = rowRankOf(n->outputs()[0], traced);
  for (const Value* in : n->inputs()) {
    if (isOperand(in)) op.operands.push_back(rowOperandFromTheRight(in, op.rank, traced));
    else if (isComputedNumber(in)) op.operands.push_back({in, {}});
  }
  // type_as reads no more of its second operand than the dtype.
  bool readsFirst = n->kind() == jit::aten::type_as || n->kind() == jit::aten::to;
  if (readsFirst && op.operands.size() > 1) op.operands.resize(1);
  op.result = rowDimensionsUpTo(op.rank);
  return op;
}

// One number for all, or one a channel, which is the second dimension.
RowOperator slopes(const Node* n, const TracedValues& traced) {
  RowOperator op;
  op.rank = rowRankOf(n->output(), traced);
  if (op.rank < 2 || rowRankOf(n->inputs()[1], traced) != 1) rowLeftOut("unsupported-form");
  op.operands = {{n->inputs()[0], rowDimensionsUpTo(op.rank)}, {n->inputs()[1], {1}}};
  op.result = rowDimensionsUpTo(op.rank);
  return op;
}

RowOperator norm(const Node* n, const TracedValues& traced) {
  RowOperator op = pointwise(n, traced);
  Value* shape = argumentNamed(n, "normalized_shape");
  auto sizes = shape ? jit::toIValue(shape) : std::nullopt;
  if (shape && (!sizes || !sizes->isIntList())) rowLeftOut("number-is-computed");
  int last = shape ? static_cast<int>(sizes->toIntVector().size()) : 1;
  for (int d = op.rank - last; d < op.rank; ++d) op.reduced.push_back(d);
  return op;
}

RowOperator along(const Node* n, const TracedValues& traced) {
  RowOperator op = pointwise(n, traced);
  if (op.rank == 0) rowLeftOut("unsupported-operator");
  op.reduced = {rowDimensionOf(n, "dim", op.rank)};
  return op;
}

RowOperator reduction(const Node* n, const TracedValues& traced) {
  RowOperator op;
  op.isReduction = true;
  op.staysAlone = isPool(n);  // beside results of all pixels it would hold their threads up
  op.rank = rowRankOf(n->inputs()[0], traced);
  if (op.rank == 0 || (isPool(n) && !isOnePixel(n))) rowLeftOut("unsupported-operator");
  op.operands = {{n->inputs()[0], rowDimensionsUpTo(op.rank)}};
  op.reduced = rowDimensionsOf(n, op.rank);
  bool keeps = isPool(n) || (argumentNamed(n, "keepdim") && rowFlagOf(n, "keepdim"));
  for (int d : rowDimensionsUpTo(op.rank))
    if (keeps || !std::binary_search(op.reduced.begin(), op.reduced.end(), d)) op.result.push_back(d);
  bool place = n->outputs().size() == 2 && n->kind() != jit::aten::var_mean;
  bool arg = n->kind() == jit::aten::argmax || n->kind() == jit::aten::argmin;
  if ((place || arg) && op.reduced.size() != 1) rowLeftOut("unsupported-operator");
  return op;
}

// Along `dim`, or the last dimension of the operand that has more.
RowOperator pairs(const Node* n, const TracedValues& traced) {
  RowOperator op;
  op.isReduction = true;
  for (const Value* in : n->inputs())
    if (isOperand(in)) op.rank = std::max(op.rank, rowRankOf(in, traced));
  if (op.rank == 0) rowLeftOut("unsupported-operator");
  for (const Value* in : n->inputs())
    if (isOperand(in)) op.operands.push_back(rowOperandFromTheRight(in, op.rank, traced));
  op.reduced = {argumentNamed(n, "dim") ? rowDimensionOf(n, "dim", op.rank) : op.rank - 1};
  bool keeps = argumentNamed(n, "keepdim") && rowFlagOf(n, "keepdim");
  for (int d : rowDimensionsUpTo(op.rank))
    if (keeps || d != op.reduced[0]) op.result.push_back(d);
  return op;
}

RowOperator channels(const Node* n, const TracedValues& traced) {
  RowOperator op;
  op.rank = rowRankOf(n->output(), traced);
  if (rowFlagOf(n, "training") || op.rank < 2) rowLeftOut("writes-memory");
  op.operands = {{n->inputs()[0], rowDimensionsUpTo(op.rank)}};
  for (auto* name : {"weight", "bias", "running_mean", "running_var"})
    if (auto* v = rowTensorOf(n, name)) op.operands.push_back({v, {1}});
  if (!rowTensorOf(n, "running_mean") || !rowTensorOf(n, "running_var")) rowLeftOut("unsupported-operator");
  op.result = rowDimensionsUpTo(op.rank);
  return op;
}

RowOperator ofTable(const Node* n, const TracedValues& traced) {
  RowOperator op;
  op.rank = rowRankOf(n->output(), traced);
  if (rowRankOf(n->inputs()[0], traced) != 2 || !isOperand(n->inputs()[1]))
    rowLeftOut("unsupported-operator");
  op.operands = {{n->inputs()[0], {}, RowRead::Table}, {n->inputs()[1], rowDimensionsUpTo(op.rank - 1)}};
  op.result = rowDimensionsUpTo(op.rank);
  return op;
}

// torch.gather along the last dimension.
RowOperator ofLists(const Node* n, const TracedValues& traced) {
  RowOperator op;
  op.rank = rowRankOf(n->output(), traced);
  if (op.rank == 0 || !isOperand(n->inputs()[0]) || !isOperand(n->input(2)))
    rowLeftOut("unsupported-operator");
  if (rowDimensionOf(n, "dim", op.rank) != op.rank - 1) rowLeftOut("unsupported-form");
  op.operands = {{n->inputs()[0], rowDimensionsUpTo(op.rank - 1), RowRead::Lists},
                 {n->input(2), rowDimensionsUpTo(op.rank)}};
  op.result = rowDimensionsUpTo(op.rank);
  return op;
}

std::vector<int> orderOf(const Node* n, int rank) {
  auto order = orderOfView(const_cast<Node*>(n), static_cast<std::size_t>(rank));
  if (!order) rowLeftOut("number-is-computed");
  return {order->begin(), order->end()};
}

bool isPointwiseOf(const Node* n, const Value* operand) {
  auto entry = table().find(n->kind());
  bool reads = std::find(n->inputs().begin(), n->inputs().end(), operand) != n->inputs().end();
  return reads && entry != table().end() && entry->second.form == Form::Pointwise;
}

RowOperator view(const Node* n, Form form, const TracedValues& traced) {
  RowOperator op;
  op.isView = true;
  op.rank = rowRankOf(n->output(), traced);
  op.result = rowDimensionsUpTo(op.rank);
  auto* in = n->inputs()[0];
  if (!isOperand(in)) rowLeftOut("unsupported-operator");
  if (form == Form::Unsqueeze) {
    int made = rowDimensionOf(n, "dim", op.rank);
    op.operands = {{in, op.result}};
    op.operands[0].at.erase(op.operands[0].at.begin() + made);
  } else if (form == Form::Expand) {
    const Value* sizes = n->inputs()[1];  // not read for more, so that every reader has to read it as well
    for (auto& use : n->output()->uses())
      if (!isPointwiseOf(use.user, sizes)) rowLeftOut("unsupported-form");
    op.operands = {rowOperandFromTheRight(in, op.rank, traced), {sizes, op.result}};
  } else {
    op.operands = {{in, op.result}};
    op.result = orderOf(n, op.rank);
  }
  return op;
}

RowOperator formOf(const Node* n, Form form, const TracedValues& traced) {
  switch (form) {
    case Form::Pointwise:
      return pointwise(n, traced);
    case Form::Slopes:
      return slopes(n, traced);
    case Form::Along:
      return along(n, traced);
    case Form::Norm:
      return norm(n, traced);
    case Form::Reduction:
      if (n->inputs().size() == 2 && isTensor(n->inputs()[1]))
        rowLeftOut("unsupported-operator");  // max of two
      return reduction(n, traced);
    case Form::Pairs:
      return pairs(n, traced);
    case Form::Channels:
      return channels(n, traced);
    case Form::Gather:
      return n->kind() == jit::aten::gather ? ofLists(n, traced) : ofTable(n, traced);
    default:
      return view(n, form, traced);
  }
}

// What the table has no line for, or the line refuses.
void tryWriting(const Node* n, const RowOperator& op, const TracedValues& traced) {
  RowWriter w(traced);
  for (auto& o : op.operands) w.read(o.value, w.declareInput(rowDtypeOf(o.value, traced), o.how));
  op.write(n, w);
}

}  // namespace

void rowSame(const Node* n, RowWriter& w, const char*) { w.define(n->output(), w.termOf(n->inputs()[0])); }

std::optional<RowOperator> rowOperatorOf(const Node* n, const TracedValues& traced, std::string& why) {
  auto entry = table().find(n->kind());
  if (entry == table().end() || n->outputs().empty()) {
    why = "unsupported-operator";
    return std::nullopt;
  }
  try {
    RowOperator op = formOf(n, entry->second.form, traced);
    op.word = entry->second.word;
    if (op.operands.empty()) rowLeftOut("unsupported-operator");
    if (auto reason = whyNotRead(n, op, traced)) rowLeftOut(reason);
    try {
      tryWriting(n, op, traced);
    } catch (const Error&) {
      rowLeftOut("unsupported-form");
    }
    return op;
  } catch (const Error& e) {
    why = e.reason;
    return std::nullopt;
  }
}

}  // namespace kadvise::graph
