#include "analyzer/graph/image_norm.h"

#include "analyzer/graph/ir.h"
#include "analyzer/graph/norm_statements.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_forms.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// A group that does not fit into registers is read again for each reduction.
constexpr double kLongGroup = 8192;

constexpr std::string_view kGroupNorms[] = {"aten::group_norm", "kadvise::group_norm"};
constexpr std::string_view kInstanceNorms[] = {"aten::instance_norm", "kadvise::instance_norm"};

bool lacks(const Node* n, const char* name) {
  auto* v = argumentNamed(n, name);
  return !v || isNone(v);
}

std::optional<std::int64_t> groupsOf(const Node* n, std::int64_t channels) {
  if (isOneOf(kGroupNorms, n))
    return constantInt(argumentNamed(n, n->kind().is_aten() ? "num_groups" : "groups"));
  if (!isOneOf(kInstanceNorms, n)) return std::nullopt;
  const bool hasOwn = n->kind().is_aten();  // statistics that are kept from call to call
  if (hasOwn && !(lacks(n, "running_mean") && lacks(n, "running_var") && rowFlagOf(n, "use_input_stats")))
    return std::nullopt;
  return channels;
}

}  // namespace

bool isImageNorm(const Node* n) { return isOneOf(kGroupNorms, n) || isOneOf(kInstanceNorms, n); }

std::optional<ImageNorm> imageNormOf(Node* n, const TracedValues& traced) {
  auto image = tensorOf(n->input(0), traced), result = tensorOf(n->output(), traced);
  if (!image || !result || image->shape.size() < 3 || image->shape[1] < 1 || image->dtype != result->dtype ||
      !c10::isFloatingType(image->dtype) || !isRowDtype(image->dtype) || !lacks(n, "shift"))
    return std::nullopt;
  const auto groups = groupsOf(n, image->shape[1]);
  const auto eps = rowNumberOf(n, "eps");
  if (!groups || *groups < 1 || !eps) return std::nullopt;
  std::vector<Value*> weights;
  for (const char* name : {"weight", "bias"})
    if (!lacks(n, name)) weights.push_back(argumentNamed(n, name));
  return ImageNorm{n, *image, weights, !lacks(n, "weight"), *groups, image->shape[1] / *groups, *eps};
}

SimpleProgram programOf(const ImageNorm& norm, const TracedValues& traced) {
  RowWriter w(traced);
  auto* n = norm.node;
  RowTerm x = w.declareInput(norm.image.dtype, RowRead::Elements);
  std::vector<RowTerm> weights;
  for (auto* v : norm.weights)
    weights.push_back(w.declareInput(tensorOf(v, traced)->dtype, RowRead::Elements));
  std::optional<RowTerm> weight, bias;
  if (norm.hasWeight) weight = weights.front();
  if (weights.size() > (norm.hasWeight ? 1u : 0u)) bias = weights.back();
  const double row = elements(norm.image) / static_cast<double>(norm.image.shape[0] * norm.groups);
  RowTerm y = row > kLongGroup ? normByOneReduction(w, x, weight, bias, norm.eps)
                               : normTerms(w, x, weight, bias, norm.eps).result;
  if (!lacks(n, "activation")) {
    const std::string activation = rowStringOf(n, "activation");
    const bool hasSlope = activation == "leaky_relu";
    y = hasSlope ? w.say(RowType::Float, activation, {y, rowNumber(rowNumberOf(n, "slope").value_or(0))})
                 : rowActivation(activation, y, w);
  }
  w.define(n->output(), y);
  w.storeAs(n->output(), {.dtype = norm.image.dtype, .isContiguous = true});
  std::string reduced;  // all behind that of the groups
  for (std::size_t d = 2; d <= norm.image.shape.size(); ++d) reduced += " " + std::to_string(d);
  return readSimpleProgram("row_program 1\nrank " + std::to_string(norm.image.shape.size() + 1) + "\nreduce" +
                           reduced + "\n" + w.text())
      .value();
}

}  // namespace kadvise::graph
