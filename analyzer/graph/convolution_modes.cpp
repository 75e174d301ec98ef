#include "analyzer/graph/convolution_modes.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
using Numbers = std::vector<std::int64_t>;

constexpr std::string_view kConvolutions[] = {"aten::conv1d", "aten::conv2d", "aten::conv3d",
                                              "aten::_convolution_mode"};  // what traces write
enum Operand : std::size_t { kInput, kWeight, kBias, kStride, kPadding, kDilation, kGroups };

// "" where it is a list.
std::string wordOf(Node* n) {
  auto padding = n->inputs().size() > kGroups ? jit::toIValue(n->input(kPadding)) : std::nullopt;
  return padding && padding->isString() ? padding->toStringRef() : "";
}

std::optional<Numbers> numbersOf(Value* v) {
  auto constant = jit::toIValue(v);
  return constant && constant->isIntList() ? std::optional(constant->toIntVector()) : std::nullopt;
}

// Of the spatial dimensions; nullopt where the weight is computed.
std::optional<Numbers> kernelOf(Value* weight, const jit::Module& module) {
  auto known = jit::toIValue(weight);
  if (auto path = attributePath(weight); path && !isAssigned(weight)) known = attributeAt(module, *path);
  if (!known || !known->isTensor() || known->toTensor().dim() < 3) return std::nullopt;
  auto sizes = known->toTensor().sizes();
  return Numbers(sizes.begin() + 2, sizes.end());
}

std::int64_t at(const Numbers& numbers, std::size_t d) {
  return numbers.size() == 1 ? numbers[0] : numbers.at(d);
}

// On both sides, and behind beyond that.
struct Padding {
  Numbers sides, behind;
};

std::optional<Padding> paddingOf(Node* n, const Numbers& kernel) {
  Padding out{Numbers(kernel.size(), 0), Numbers(kernel.size(), 0)};
  const auto word = wordOf(n);
  if (word == "valid") return out;
  auto stride = numbersOf(n->input(kStride)), dilation = numbersOf(n->input(kDilation));
  auto fits = [&](auto& list) { return list && (list->size() == 1 || list->size() == kernel.size()); };
  bool isWhole = fits(stride) && std::all_of(stride->begin(), stride->end(), [](auto by) { return by == 1; });
  if (word != "same" || !isWhole || !fits(dilation)) return std::nullopt;
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    const auto total = at(*dilation, d) * (kernel[d] - 1);
    out.sides[d] = total / 2;
    out.behind[d] = total % 2;
  }
  return out;
}

Value* padded(Node* n, const Numbers& behind) {
  if (std::all_of(behind.begin(), behind.end(), [](auto by) { return by == 0; })) return n->input(kInput);
  jit::Graph& graph = *n->owningGraph();
  Numbers pads;
  for (auto by = behind.rbegin(); by != behind.rend(); ++by) pads.insert(pads.end(), {0, *by});
  Node* pad = graph.create(jit::aten::constant_pad_nd,
                           {n->input(kInput), graph.insertConstant(pads), graph.insertConstant(0.0)});
  pad->insertBefore(n)->copyMetadata(n);
  return pad->output();
}

void rewrite(Node* n, const jit::Module& module) {
  auto kernel = kernelOf(n->input(kWeight), module);
  auto padding = kernel && kernel->size() <= 3 ? paddingOf(n, *kernel) : std::nullopt;
  if (!padding) return;
  jit::Graph& graph = *n->owningGraph();
  jit::WithInsertPoint here(n);
  Value* input = padded(n, padding->behind);
  auto kind = c10::Symbol::fromQualString(std::string(kConvolutions[kernel->size() - 1]));
  Node* made =
      graph.create(kind, {input, n->input(kWeight), n->input(kBias), n->input(kStride),
                          graph.insertConstant(padding->sides), n->input(kDilation), n->input(kGroups)});
  made->insertBefore(n)->copyMetadata(n);
  made->output()->setType(n->output()->type());
  n->output()->replaceAllUsesWith(made->output());
  n->destroy();
}

}  // namespace

void paddingsAsNumbers(jit::Graph& graph, const jit::Module& module) {
  for (Node* n :
       nodesWhere(graph.block(), [](Node* n) { return isOneOf(kConvolutions, n) && !wordOf(n).empty(); }))
    rewrite(n, module);
}

}  // namespace kadvise::graph
