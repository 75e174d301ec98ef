#include "analyzer/graph/row_bias.h"

#include <numeric>
#include <sstream>
#include <string_view>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

struct Convolution {
  std::string_view name;
  std::size_t rank;  // of a batch
};
constexpr Convolution kConvolutions[] = {{"aten::conv1d", 3},
                                         {"aten::conv2d", 4},
                                         {"aten::conv3d", 5},
                                         {"aten::conv_transpose1d", 3},
                                         {"aten::conv_transpose2d", 4},
                                         {"aten::conv_transpose3d", 5},
                                         {"kadvise::conv1d_channels_last", 3},
                                         {"kadvise::conv_transpose1d_channels_last", 3}};

// 0 for what is none.
std::size_t rankOfBatches(const Node* n) {
  std::string_view name = n->kind().toQualString();
  for (auto& convolution : kConvolutions)
    if (convolution.name == name) return convolution.rank;
  return 0;
}

void addBias(const Node* n, RowWriter& w, const char*) {
  RowTerm product = w.as(RowType::Float, w.termOf(n->output()));
  w.define(n->output(),
           w.say(RowType::Float, "add", {product, w.as(RowType::Float, w.termOf(argumentNamed(n, "bias")))}));
}

constexpr RowWord kBias = {"", addBias};

// Kernels of ATen's own for convolutions of each channel alone add the bias on the way; cuDNN's, which images
// of 16 bits in channels_last get, do not.
bool isAddedOnTheWay(const Node* n, const TracedValue& image) {
  auto groups = jit::toIValue(argumentNamed(n, "groups"));
  bool isDepthwise = groups && groups->isInt() && groups->toInt() > 1 && groups->toInt() == image.shape[1];
  return isDepthwise && !(c10::isReducedFloatingType(image.dtype) && layoutOf(image) == ImageLayout::Last);
}

// A scripted module declares its bias as one that may be missing. Its own is there in every call, if it was
// in one.
const Value* biasOf(const Node* n) {
  Value* bias = argumentNamed(n, "bias");
  bool isGiven = bias && bias->node()->kind() == jit::prim::Param;  // of any size, which ATen checks
  const bool isKnown = bias && !isGiven && !isAssigned(bias);
  return isKnown && (isTensor(bias) || attributePath(bias)) ? bias : nullptr;
}

}  // namespace

std::optional<RowOperator> biasPassOf(const Node* n, const TracedValues& traced) {
  std::size_t rank = rankOfBatches(n);
  if (rank == 0) return std::nullopt;
  auto* bias = biasOf(n);
  auto *image = traced.find(n->inputs()[0]), *result = traced.find(n->output());
  auto* seen = bias ? traced.find(bias) : nullptr;
  bool known = seen && seen->kind == "tensor" && seen->shape.size() == 1 && result &&
               result->kind == "tensor" && image && image->kind == "tensor";
  // Without a batch the channels are the first dimension, and the pass would be another.
  if (!known || image->shape.size() != rank || result->shape.size() != rank) return std::nullopt;
  if (seen->shape[0] != result->shape[1]) return std::nullopt;
  if (!isRowDtype(result->dtype) || !c10::isFloatingType(result->dtype) || seen->dtype != result->dtype)
    return std::nullopt;
  RowOperator op;
  op.rank = static_cast<int>(result->shape.size());
  op.result.resize(result->shape.size());
  std::iota(op.result.begin(), op.result.end(), 0);
  // A batch may not be missing in other calls: the ranks are those of the run.
  op.operands = {{n->output(), op.result}, {bias, {1}}};
  op.isBias = true;
  op.word = &kBias;
  return op;
}

Cost rowCostOf(const Node* n, const RowOperator& op, const TracedValues& traced) {
  if (!op.isBias) return costOf(n, traced);
  auto* t = traced.find(n->output());
  auto* image = traced.find(n->inputs()[0]);
  Cost pass;
  if (!t || !image || isAddedOnTheWay(n, *image)) return pass;
  pass.bytesRead = pass.bytesWritten = bytesOf(*t);
  pass.kernels = 1;
  return pass;
}

std::string callWithoutBias(const Node* n, const NameOf& nameOf) {
  return callWith(n, "bias", "None", nameOf);
}

}  // namespace kadvise::graph
