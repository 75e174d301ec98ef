#include "analyzer/graph/shape_rules.h"

#include <algorithm>
#include <string_view>

namespace kadvise::graph {
namespace {

using Operands = std::vector<c10::IValue>;
using Sizes = std::vector<std::int64_t>;
using ShapeRule = std::optional<at::Tensor> (*)(const Operands&);

std::optional<at::Tensor> tensorAt(const Operands& operands, std::size_t i) {
  if (i >= operands.size() || !operands[i].isTensor() || !operands[i].toTensor().defined())
    return std::nullopt;
  return operands[i].toTensor();
}

at::Tensor made(const Sizes& sizes, const at::Tensor& like) {
  return at::empty(sizes, like.options().device(at::kMeta));
}

// In the input's layout, as the libraries have it.
at::Tensor madeOfImages(const Sizes& sizes, const at::Tensor& like) {
  return at::empty(sizes, like.options().device(at::kMeta), like.suggest_memory_format());
}

std::optional<at::Tensor> likeInput(const Operands& operands) {
  auto in = tensorAt(operands, 0);
  if (!in) return std::nullopt;
  return at::empty_strided(in->sizes(), in->strides(), in->options().device(at::kMeta));
}

std::optional<at::Tensor> rowsOfTable(const Operands& operands) {
  auto table = tensorAt(operands, 0), rows = tensorAt(operands, 1);
  if (!table || !rows || table->dim() != 2) return std::nullopt;
  auto sizes = rows->sizes().vec();
  sizes.push_back(table->size(1));
  return made(sizes, *table);
}

std::optional<at::Tensor> attention(const Operands& operands) {
  auto q = tensorAt(operands, 0), v = tensorAt(operands, 2);
  if (!q || !v || q->dim() < 2 || v->dim() < 2) return std::nullopt;
  auto sizes = q->sizes().vec();
  sizes.back() = v->size(-1);
  return made(sizes, *q);
}

// One number for each spatial dimension; a list of one stands for all.
std::optional<Sizes> perDimension(const Operands& operands, std::size_t i, std::size_t dimensions) {
  if (i >= operands.size() || !operands[i].isIntList()) return std::nullopt;
  auto list = operands[i].toIntVector();
  if (list.size() == 1) list.assign(dimensions, list[0]);
  return list.size() == dimensions ? std::optional(list) : std::nullopt;
}

// convNd(input, weight, bias, stride, padding, dilation, groups)
std::optional<at::Tensor> convolution(const Operands& operands) {
  auto in = tensorAt(operands, 0), weight = tensorAt(operands, 1);
  if (!in || !weight || in->dim() < 3 || in->dim() != weight->dim()) return std::nullopt;
  auto n = static_cast<std::size_t>(in->dim() - 2);
  auto stride = perDimension(operands, 3, n), padding = perDimension(operands, 4, n),
       dilation = perDimension(operands, 5, n);
  if (!stride || !padding || !dilation) return std::nullopt;
  Sizes sizes = {in->size(0), weight->size(0)};
  for (std::size_t i = 0; i < n; ++i) {
    auto at = static_cast<std::int64_t>(i + 2);
    auto room = in->size(at) + 2 * (*padding)[i] - (*dilation)[i] * (weight->size(at) - 1) - 1;
    if ((*stride)[i] <= 0 || room < 0) return std::nullopt;
    sizes.push_back(room / (*stride)[i] + 1);
  }
  return madeOfImages(sizes, *in);
}

// conv_transposeNd(input, weight, bias, stride, padding, output_padding, groups, dilation)
std::optional<at::Tensor> transposedConvolution(const Operands& operands) {
  auto in = tensorAt(operands, 0), weight = tensorAt(operands, 1);
  bool fits = in && weight && in->dim() >= 3 && in->dim() == weight->dim() && operands.size() > 7 &&
              operands[6].isInt();
  if (!fits) return std::nullopt;
  auto n = static_cast<std::size_t>(in->dim() - 2);
  auto stride = perDimension(operands, 3, n), padding = perDimension(operands, 4, n),
       more = perDimension(operands, 5, n);
  auto dilation = perDimension(operands, 7, n);
  if (!stride || !padding || !more || !dilation) return std::nullopt;
  Sizes sizes = {in->size(0), weight->size(1) * operands[6].toInt()};
  for (std::size_t i = 0; i < n; ++i) {
    auto at = static_cast<std::int64_t>(i + 2);
    auto size = (in->size(at) - 1) * (*stride)[i] - 2 * (*padding)[i] +
                (*dilation)[i] * (weight->size(at) - 1) + (*more)[i] + 1;
    if (size < 0) return std::nullopt;
    sizes.push_back(size);
  }
  return madeOfImages(sizes, *in);
}

struct Entry {
  std::string_view op;
  ShapeRule rule;
};
constexpr Entry kRules[] = {
    {"aten::relu", likeInput},
    {"aten::prelu", likeInput},
    {"aten::batch_norm", likeInput},
    {"aten::embedding", rowsOfTable},
    {"aten::scaled_dot_product_attention", attention},
    {"aten::conv1d", convolution},
    {"aten::conv2d", convolution},
    {"aten::conv3d", convolution},
    {"aten::conv_transpose1d", transposedConvolution},
    {"aten::conv_transpose2d", transposedConvolution},
    {"aten::conv_transpose3d", transposedConvolution},
};

}  // namespace

std::optional<at::Tensor> shapeByRule(const torch::jit::Node* n, const Operands& operands) {
  std::string_view name = n->kind().toQualString();
  auto entry =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const Entry& e) { return e.op == name; });
  return entry == std::end(kRules) ? std::nullopt : entry->rule(operands);
}

}  // namespace kadvise::graph
