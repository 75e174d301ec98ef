#include "analyzer/graph/row_worth.h"

#include <algorithm>

#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/cost.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/row_bias.h"
#include "analyzer/graph/row_copies.h"
#include "analyzer/graph/row_overwrites.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

// Bytes of a pass: below, the launch is what takes the time.
constexpr double kSmallestBias = 256 << 10, kSmallestOverwritten = 128 << 10, kSmallestWalked = 1 << 20,
                 kLongestShortRow = 256;

bool isProduct(const torch::jit::Node* n) {
  auto kind = kindOf(n).kind;
  return kind == OperatorKind::MatMul || kind == OperatorKind::Convolution || kind == OperatorKind::Attention;
}

// One operator of ATen's that takes longer than its memory does: gelu of 16 bits (1.09 and 1.11 times the
// generated one in ViT-B/16 and its like on an H200, with cold caches; of 32 bits no more than 1.05).
bool isBoundByArithmetic(const RowRegion& r, const TracedValues& traced) {
  return r.kernelsBefore == 1 && std::any_of(r.nodes.begin(), r.nodes.end(), [&](auto* n) {
           auto* t = traced.find(n->node->output(0));
           return n->node->kind() == c10::aten::gelu && t && c10::isReducedFloatingType(t->dtype);
         });
}

// ATen writes elsewhere: lines that nobody reads any more leave the caches through memory. (Between two
// products on an H100, of 32 bits: 1.1 to 1.4 times as fast as ATen's; tests/bench/results/others.h100.txt.)
bool writesOver(const RowRegion& r, const TracedValues& traced) {
  if (r.kernelsBefore != 1 || r.bytesBefore < kSmallestOverwritten) return false;
  auto over = overwrittenReadings(r, traced);
  return std::any_of(over.begin(), over.end(), [](auto& one) { return one.has_value(); });
}

// ATen moves an element a thread, and divides for the place of each, where operands do not lie as the result
// does or are broadcast: twice as long as their memory takes (scores times one decay for all sequences: 22 us
// for 16 MiB of bfloat16 on an H100).
bool isWalkedByElements(const RowRegion& r, const TracedValues& traced) {
  if (r.kernelsBefore != 1 || r.bytesBefore < kSmallestWalked || r.nodes.size() != 1) return false;
  auto* n = r.nodes.front()->node;
  auto* result = n->outputs().size() == 1 ? tensorSeen(n->output(), traced) : nullptr;
  if (!result || r.nodes.front()->op.isReduction || kindOf(n).kind != OperatorKind::Pointwise) return false;
  return std::any_of(r.space.readings.begin(), r.space.readings.end(), [&](auto& reading) {
    auto* t = tensorSeen(reading.value, traced);
    return t && elements(*t) > 1 && (t->shape != result->shape || t->strides != result->strides);
  });
}

// ATen's gather has a block for each row, however short (relative positions, 160,000 rows of 64 bfloat16: 98
// us for 20 MiB on an H200).
bool isGatherOfShortRows(const RowRegion& r, const TracedValues& traced) {
  if (r.kernelsBefore != 1 || r.bytesBefore < kSmallestWalked) return false;
  return std::any_of(r.nodes.begin(), r.nodes.end(), [&](auto* n) {
    auto* table = n->node->kind() == c10::aten::embedding ? tensorSeen(n->node->input(0), traced) : nullptr;
    return table && bytesOf(*table) <= kLongestShortRow * static_cast<double>(table->shape.front());
  });
}

bool isOneCopy(const RowRegion& r, const TracedValues& traced) {
  return r.kernelsBefore == 1 &&
         std::any_of(r.nodes.begin(), r.nodes.end(), [&](auto* n) { return isWorthACopy(*n, traced); });
}

// ATen adds it an element a thread, and divides for its channel.
bool isOneBias(const RowRegion& r) {
  return r.kernelsBefore == 1 && r.bytesBefore >= kSmallestBias && r.nodes.front()->op.isBias;
}

// ATen's mean of images in channels_last takes longer than its memory does (8 us in EfficientNet-B0 on an
// H100).
bool isMeanOfPixels(const RowRegion& r, const TracedValues& traced) {
  if (!r.nodes.front()->op.staysAlone) return false;
  auto* image = traced.find(r.nodes.front()->node->input(0));
  return image && layoutOf(*image) == ImageLayout::Last;
}

// ATen reduces across memory, or dimensions with others between them, at half of its rate and less where
// tensors are large (1.1 to 5.9 times as long; tests/bench/results/reductions.h200.txt).
bool isReducedAcrossMemory(const RowRegion& r, const TracedValues& traced) {
  if (r.kernelsBefore != 1 || r.nodes.size() != 1 || r.bytesBefore < kSmallestWalked) return false;
  auto& op = r.nodes.front()->op;
  auto* t = tensorSeen(r.nodes.front()->node->inputs()[0], traced);
  if (!t || !op.isReduction || op.staysAlone) return false;
  std::vector<int> inMemory;  // the outermost first
  for (std::size_t d = 0; d < t->shape.size(); ++d)
    if (t->shape[d] > 1) inMemory.push_back(static_cast<int>(d));
  auto strideOf = [&](int d) { return t->strides[static_cast<std::size_t>(d)]; };
  std::sort(inMemory.begin(), inMemory.end(), [&](int a, int b) { return strideOf(a) > strideOf(b); });
  auto isReduced = [&](int d) { return std::binary_search(op.reduced.begin(), op.reduced.end(), d); };
  auto last = std::find_if_not(inMemory.rbegin(), inMemory.rend(), isReduced);
  return std::any_of(last, inMemory.rend(), isReduced);
}

// ATen's takes 1 / sqrt(variance), and its parameters in float32, in kernels of their own (2 to 3 us of 7 to
// 10 behind the activations of an XCiT on an H200). Behind a convolution its weights take it in.
bool isBatchNorm(const RowRegion& r) {
  const torch::jit::Node* n = r.nodes.front()->node;
  return r.kernelsBefore == 1 && r.nodes.size() == 1 && n->kind() == c10::aten::batch_norm &&
         !(n->input(0)->node()->kind().is_aten() && isProduct(n->input(0)->node()));
}

// One operator of ATen's that reads its rows more than once, or writes what it then reduces.
bool isInSeveralPasses(const RowRegion& r) {
  return r.kernelsBefore == 1 && std::any_of(r.nodes.begin(), r.nodes.end(), [](auto* n) {
           bool isNorm = n->node->kind().is_aten() && kindOf(n->node).kind == OperatorKind::Norm;
           return !n->op.reduced.empty() && (isNorm || n->op.isOfPairs());
         });
}

std::string alone(const RowRegion& r) {
  bool behind = std::any_of(r.space.readings.begin(), r.space.readings.end(),
                            [](auto& reading) { return isProduct(reading.value->node()); });
  bool before = std::any_of(r.outputs.begin(), r.outputs.end(), [](auto* v) {
    return std::any_of(v->uses().begin(), v->uses().end(), [](auto& use) { return isProduct(use.user); });
  });
  return behind && before ? "between-two-products" : "alone-saves-nothing";
}

}  // namespace

std::string whyNotWorth(RowRegion& r, const TracedValues& traced) {
  if (r.outputs.empty()) return "unused";
  for (auto* n : r.nodes) {
    auto cost = rowCostOf(n->node, n->op, traced);
    r.bytesBefore += cost.bytes();
    r.kernelsBefore += cost.kernels;
  }
  for (auto& reading : r.space.readings)
    if (auto* t = traced.find(reading.value);
        t && isTensor(reading.value) && reading.how == RowRead::Elements)
      r.bytesAfter += bytesOf(*t);
  for (auto* v : r.outputs) r.bytesAfter += denseBytes(*traced.find(v));
  for (auto* n : r.nodes)  // of a table the rows that are taken, of lists what is picked
    if (n->op.operands[0].how != RowRead::Elements)
      r.bytesAfter += denseBytes(*traced.find(n->node->output()));
  bool isWorth = r.kernelsBefore >= 2 || isInSeveralPasses(r) || isBoundByArithmetic(r, traced) ||
                 isMeanOfPixels(r, traced) || isOneCopy(r, traced) || isOneBias(r) || writesOver(r, traced) ||
                 isWalkedByElements(r, traced) || isReducedAcrossMemory(r, traced) || isBatchNorm(r) ||
                 isGatherOfShortRows(r, traced);
  return isWorth ? "" : alone(r);
}

}  // namespace kadvise::graph
