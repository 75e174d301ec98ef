#include "analyzer/graph/operator_kinds.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using K = OperatorKind;

struct Entry {
  K kind;
  double flopsPerElement;
  std::string_view names;  // without aten::, separated by spaces
};

// Flops of one element are counted as in textbooks: an exponential is one. What a GPU spends on it hardly
// matters beside the memory that such operators move.
constexpr Entry kOperators[] = {
    {K::Free, 0,
     "size stride dim len numel item Int Float Bool IntImplicit FloatImplicit ScalarImplicit NumToTensor "
     "is_nonzero "
     "is_floating_point is_complex is_contiguous is_cuda storage_offset tensor scalar_tensor __is__ "
     "__isnot__ __not__ "
     "__contains__ append extend insert list dict keys values items format warn sym_size floordiv device "
     "__range_length __derive_index result_type can_cast"},
    {K::View, 0,
     "view view_as transpose permute t numpy_T mT mH adjoint T expand expand_as slice select narrow "
     "unsqueeze squeeze "
     "split split_with_sizes chunk unsafe_chunk unsafe_split tensor_split hsplit vsplit dsplit unbind detach "
     "alias "
     "as_strided diagonal unfold movedim moveaxis swapaxes swapdims unflatten broadcast_to broadcast_tensors "
     "view_as_real "
     "view_as_complex real imag __getitem__ requires_grad_ _unsafe_view lift_fresh atleast_1d atleast_2d "
     "atleast_3d "
     "dropout feature_dropout alpha_dropout"},
    {K::Reshape, 0, "reshape reshape_as flatten ravel"},
    {K::Conversion, 0,
     "contiguous to type_as _autocast_to_reduced_precision _autocast_to_full_precision cpu cuda float half "
     "bfloat16 "
     "double"},
    {K::Copy, 0, "clone copy _to_copy repeat tile roll flip rot90 tril triu lift_fresh_copy expand_copy"},
    {K::Pointwise, 1,
     "add sub rsub mul div floor_divide remainder fmod true_divide neg abs sign relu relu6 hardtanh clamp "
     "clamp_min "
     "clamp_max clip maximum minimum eq ne lt le gt ge logical_and logical_or logical_not logical_xor "
     "bitwise_and bitwise_or bitwise_not bitwise_xor __and__ __or__ __xor__ __lshift__ __rshift__ where "
     "masked_fill "
     "floor ceil round trunc frac square reciprocal isnan isinf isfinite threshold leaky_relu prelu "
     "heaviside "
     "nan_to_num fill zero copysign conj multiply subtract divide sgn negative absolute greater less "
     "not_equal "
     "greater_equal less_equal"},
    {K::Pointwise, 2, "addcmul addcdiv lerp hardsigmoid hardswish glu sqrt rsqrt"},
    {K::Pointwise, 4,
     "exp exp2 expm1 log log2 log10 log1p sin cos tan tanh sigmoid pow erf erfc erfinv atan atan2 asin "
     "acos sinh cosh asinh acosh atanh silu softplus elu selu celu mish logit log_sigmoid logaddexp "
     "logsigmoid float_power xlogy hypot polar complex"},
    {K::Pointwise, 8, "gelu"},
    {K::Reduction, 1,
     "sum mean prod amax amin max min argmax argmin any all norm linalg_vector_norm linalg_norm cumsum "
     "cumprod logsumexp "
     "count_nonzero nansum nanmean median frobenius_norm aminmax trace nll_loss cross_entropy_loss"},
    {K::Reduction, 2,
     "mse_loss l1_loss smooth_l1_loss huber_loss kl_div soft_margin_loss margin_ranking_loss "
     "hinge_embedding_loss "
     "poisson_nll_loss binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss"},
    {K::Reduction, 4, "pairwise_distance triplet_margin_loss cosine_similarity"},
    {K::Reduction, 3, "var std var_mean std_mean"},
    {K::Norm, 5, "softmax log_softmax _softmax _log_softmax normalize"},
    {K::Norm, 8, "layer_norm native_layer_norm rms_norm group_norm native_group_norm instance_norm"},
    {K::Norm, 2,
     "batch_norm native_batch_norm cudnn_batch_norm _batch_norm_impl_index "
     "_native_batch_norm_legit_no_training"},
    {K::MatMul, 0,
     "matmul mm bmm linear addmm baddbmm mv addmv dot vdot inner outer einsum tensordot _addmm_activation "
     "chain_matmul addbmm"},
    {K::Convolution, 0,
     "conv1d conv2d conv3d convolution _convolution conv_transpose1d conv_transpose2d conv_transpose3d "
     "cudnn_convolution "
     "cudnn_convolution_relu cudnn_convolution_add_relu mkldnn_convolution"},
    {K::Attention, 0,
     "scaled_dot_product_attention _scaled_dot_product_flash_attention "
     "_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention "
     "_scaled_dot_product_flash_attention_for_cpu"},
    {K::Recurrent, 0, "lstm gru rnn_tanh rnn_relu"},
    {K::Gather, 0,
     "embedding index_select gather index take take_along_dim embedding_bag grid_sampler grid_sampler_2d "
     "masked_select"},
    {K::Scatter, 0,
     "scatter scatter_add scatter_reduce index_put index_add index_copy index_fill masked_scatter "
     "index_reduce "
     "select_scatter slice_scatter"},
    {K::Join, 0, "cat concat concatenate stack hstack vstack dstack block_diag meshgrid cartesian_prod"},
    {K::Window, 1,
     "max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d "
     "adaptive_avg_pool2d "
     "adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d max_pool2d_with_indices pad "
     "constant_pad_nd "
     "reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d upsample_nearest1d "
     "upsample_nearest2d "
     "upsample_nearest3d upsample_bilinear2d upsample_bicubic2d upsample_linear1d upsample_trilinear3d "
     "_upsample_nearest_exact2d pixel_shuffle pixel_unshuffle channel_shuffle im2col col2im "
     "repeat_interleave one_hot "
     "zero_pad2d __interpolate __upsample"},
    {K::Factory, 0,
     "zeros ones full arange zeros_like ones_like full_like linspace eye new_zeros new_ones new_full range "
     "tril_indices triu_indices logspace"},
    {K::Unwritten, 0, "empty empty_like empty_strided new_empty new_empty_strided"},
    {K::Random, 1,
     "rand randn randint rand_like randn_like randint_like bernoulli normal uniform multinomial randperm "
     "exponential random"},
};

bool listed(std::string_view names, std::string_view name) {
  for (std::size_t at = names.find(name); at != std::string_view::npos; at = names.find(name, at + 1)) {
    bool begins = at == 0 || names[at - 1] == ' ';
    std::size_t end = at + name.size();
    if (begins && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

OperatorCost lookUp(std::string_view name) {
  for (auto& entry : kOperators)
    if (listed(entry.names, name)) return {entry.kind, entry.flopsPerElement};
  return {};
}

bool isDropout(std::string_view name) { return name.find("dropout") != std::string_view::npos; }

// Outside training it hands on its input.
bool drops(const torch::jit::Node* n) {
  auto training = n->inputs().size() > 2 ? torch::jit::toIValue(n->input(2)) : std::nullopt;
  return training && training->isBool() && training->toBool();
}

bool touchesTensors(const torch::jit::Node* n) {
  auto holds = [](const torch::jit::Value* v) {
    if (v->type()->isSubtypeOf(*c10::TensorType::get())) return true;
    for (auto& inner : v->type()->containedTypes())
      if (inner->isSubtypeOf(*c10::TensorType::get())) return true;
    return false;
  };
  return std::any_of(n->outputs().begin(), n->outputs().end(), holds);
}

}  // namespace

bool isGeneratedCopy(const torch::jit::Node* n) {
  static const auto kContiguous = c10::Symbol::fromQualString("kadvise::contiguous");
  return n->kind() == kContiguous;
}

OperatorCost kindOf(const torch::jit::Node* n) {
  std::string_view name = n->kind().toQualString();
  if (isGeneratedCopy(n)) return {K::Copy, 0};
  if (name.rfind("kadvise::", 0) == 0) return {K::Custom, 0};
  // Arithmetic on numbers has the names of arithmetic on tensors.
  if (name.rfind("prim::", 0) == 0 || !touchesTensors(n)) return {K::Free, 0};
  if (name.rfind("aten::", 0) != 0) return {};
  name.remove_prefix(6);
  if (isDropout(name) && drops(n)) return {K::Random, 2};
  if (auto found = lookUp(name); found.kind != K::Unknown) return found;
  if (name.size() > 1 && name.back() == '_') return lookUp(name.substr(0, name.size() - 1));
  return {};
}

bool asksAboutTensors(const torch::jit::Node* n) {
  if (n->outputs().empty() || !n->blocks().empty() || kindOf(n).kind != OperatorKind::Free || readsOnHost(n))
    return false;
  return std::none_of(n->outputs().begin(), n->outputs().end(),
                      [](const torch::jit::Value* v) { return holdsTensors(v->type()); });
}

std::optional<torch::jit::Use> onlyReading(const torch::jit::Value* v) {
  std::optional<torch::jit::Use> reading;
  for (auto& use : v->uses()) {
    if (asksAboutTensors(use.user)) continue;
    if (reading) return std::nullopt;
    reading = use;
  }
  return reading;
}

torch::jit::Node* onlyReader(const torch::jit::Value* v) {
  const auto reading = onlyReading(v);
  if (!reading) return nullptr;
  const bool isSummand = reading->user->kind() == c10::aten::add && reading->offset == 1;
  return reading->offset == 0 || isSummand ? reading->user : nullptr;
}

bool isPointwise(const torch::jit::Node* n) {
  constexpr std::string_view kOfDimensions[] = {"aten::glu", "aten::prelu", "aten::fill", "aten::zero"};
  return !isOneOf(kOfDimensions, n) && kindOf(n).kind == OperatorKind::Pointwise;
}

bool isPlainCopy(const torch::jit::Node* n) {
  return n->kind() == c10::aten::contiguous || n->kind() == c10::aten::clone;
}

}  // namespace kadvise::graph
