#include "analyzer/graph/layers_apart.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// As aten/src/ATen/native/transformers/ of PyTorch 2.11 computes them: true in a mask of whatever dtype
// hides, kind 1 has a row of it a sequence, and the activation of the wide layer is part of the product,
// where gelu is that of the library for products.
constexpr const char* kText = R"(
def heads_of(x: Tensor, width: int, heads: int, qkv_weight: Tensor, qkv_bias: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
  apart = [x.size(0), x.size(1), heads, width // heads]
  q, k, v = torch.chunk(torch.linear(x, qkv_weight, qkv_bias), 3, -1)
  q = torch.reshape(q, apart).transpose(1, 2)
  k = torch.reshape(k, apart).transpose(1, 2)
  v = torch.reshape(v, apart).transpose(1, 2)
  return q, k, v

def joined(x: Tensor, heads: Tensor, width: int, weight: Tensor, bias: Tensor) -> Tensor:
  return torch.linear(torch.reshape(heads.transpose(1, 2), [x.size(0), x.size(1), width]), weight, bias)

def probabilities(q: Tensor, k: Tensor, size: int, mask: Optional[Tensor], kind: Optional[int]) -> Tensor:
  scores = torch.matmul(q * float(size) ** -0.5, k.transpose(-2, -1))
  if mask is not None:
    hidden = mask.to(11)
    if kind is not None and kind == 1:
      hidden = torch.reshape(hidden, [k.size(0), 1, 1, k.size(2)])
    scores = torch.masked_fill(scores, hidden, float("-inf"))
  return torch.softmax(scores, -1)

def attention(x: Tensor, width: int, heads: int, qkv_weight: Tensor, qkv_bias: Tensor, weight: Tensor, bias: Tensor,
              mask: Optional[Tensor], kind: Optional[int]) -> Tensor:
  q, k, v = heads_of(x, width, heads, qkv_weight, qkv_bias)
  if mask is None:
    y = torch.scaled_dot_product_attention(q, k, v)
  else:
    y = torch.matmul(probabilities(q, k, width // heads, mask, kind), v)
  return joined(x, y, width, weight, bias)

def self_attention(x: Tensor, key: Tensor, value: Tensor, width: int, heads: int, qkv_weight: Tensor, qkv_bias: Tensor,
                   weight: Tensor, bias: Tensor, mask: Optional[Tensor], need_weights: bool, average: bool,
                   kind: Optional[int]) -> Tensor:
  if x.is_nested:
    y, _ = torch._native_multi_head_attention(x, key, value, width, heads, qkv_weight, qkv_bias, weight, bias, mask,
                                              need_weights, average, kind)
  else:
    y = attention(x, width, heads, qkv_weight, qkv_bias, weight, bias, mask, kind)
  return y

def self_attention_and_weights(x: Tensor, key: Tensor, value: Tensor, width: int, heads: int, qkv_weight: Tensor,
                               qkv_bias: Tensor, weight: Tensor, bias: Tensor, mask: Optional[Tensor],
                               need_weights: bool, average: bool, kind: Optional[int]) -> Tuple[Tensor, Tensor]:
  if x.is_nested:
    y, w = torch._native_multi_head_attention(x, key, value, width, heads, qkv_weight, qkv_bias, weight, bias, mask,
                                              need_weights, average, kind)
  else:
    q, k, v = heads_of(x, width, heads, qkv_weight, qkv_bias)
    w = probabilities(q, k, width // heads, mask, kind)
    y = joined(x, torch.matmul(w, v), width, weight, bias)
    if average:
      w = torch.sum(w, [1]) / heads
  return y, w

def encoder_layer(x: Tensor, width: int, heads: int, qkv_weight: Tensor, qkv_bias: Tensor, weight: Tensor, bias: Tensor,
                  use_gelu: bool, norm_first: bool, eps: float, first_weight: Tensor, first_bias: Tensor,
                  second_weight: Tensor, second_bias: Tensor, wide_weight: Tensor, wide_bias: Tensor,
                  narrow_weight: Tensor, narrow_bias: Tensor, mask: Optional[Tensor], kind: Optional[int]) -> Tensor:
  if x.is_nested:
    y = torch._transformer_encoder_layer_fwd(x, width, heads, qkv_weight, qkv_bias, weight, bias, use_gelu, norm_first,
                                             eps, first_weight, first_bias, second_weight, second_bias, wide_weight,
                                             wide_bias, narrow_weight, narrow_bias, mask, kind)
  else:
    a = torch.layer_norm(x, [width], first_weight, first_bias, eps) if norm_first else x
    a = attention(a, width, heads, qkv_weight, qkv_bias, weight, bias, mask, kind) + x
    if not norm_first:
      a = torch.layer_norm(a, [width], first_weight, first_bias, eps)
    h = torch.layer_norm(a, [width], second_weight, second_bias, eps) if norm_first else a
    if use_gelu:
      rows = torch.reshape(h, [x.size(0) * x.size(1), width])
      h = torch._addmm_activation(wide_bias, rows, wide_weight.t(), use_gelu=True)
      h = torch.reshape(h, [x.size(0), x.size(1), wide_weight.size(0)])
    else:
      h = torch.relu(torch.linear(h, wide_weight, wide_bias))
    y = torch.linear(h, narrow_weight, narrow_bias) + a
    if not norm_first:
      y = torch.layer_norm(y, [width], second_weight, second_bias, eps)
  return y
)";

std::shared_ptr<jit::Graph> bodyOf(const char* name) {
  static const auto unit = scriptUnit(kText);
  auto body = graphOfFunction(*unit, name);
  jit::Inline(*body);
  jit::LowerAllTuples(body);
  return body;
}

// Every node of the body stands where the layer stood in the user's text.
void putInPlace(Node* layer, const char* name) {
  Node* before = layer->prev();
  jit::WithInsertPoint here(layer);
  auto results = jit::insertGraph(*layer->owningGraph(), *bodyOf(name), layer->inputs());
  for (Node* n = before->next(); n != layer; n = n->next()) {
    n->copyMetadata(layer);
    for (jit::Block* block : n->blocks())
      forEachNode(block, [&](Node* inner) { inner->copyMetadata(layer); });
  }
  for (std::size_t i = 0; i < results.size(); ++i) layer->output(i)->replaceAllUsesWith(results[i]);
  // Weights that nobody asked for are an undefined tensor, which a script sees as None.
  for (std::size_t i = results.size(); i < layer->outputs().size(); ++i)
    if (layer->output(i)->hasUses())
      layer->output(i)->replaceAllUsesWith(constantOf(*layer->owningGraph(), c10::IValue()));
}

bool isOfOneTensor(const Node* n) {
  return n->inputs()[0] == n->inputs()[1] && n->inputs()[0] == n->inputs()[2];
}

bool wantsWeights(Node* n) {
  constexpr std::size_t kNeedWeights = 10;
  auto needs = jit::toIValue(n->input(kNeedWeights));
  return !needs || !needs->isBool() || needs->toBool();
}

bool isOfTorchsLayers(const Node* n) {
  auto range = n->sourceRange();
  auto original = range.findSourceRangeThatGenerated();
  for (auto& one : {std::optional(range), original}) {
    auto place = one ? one->file_line_col() : std::nullopt;
    if (!place) continue;
    const std::string& file = std::get<0>(*place);
    for (std::string_view module : {"/torch/nn/modules/transformer", "/torch/nn/modules/activation"}) {
      auto at = file.find(module);
      auto next = at == std::string::npos ? at : at + module.size();
      if (next < file.size() && (file[next] == '.' || file[next] == '/')) return true;
    }
  }
  return false;
}

const c10::Symbol kEncoder = c10::Symbol::fromQualString("aten::_transformer_encoder_layer_fwd");
const c10::Symbol kAttention = c10::Symbol::fromQualString("aten::_native_multi_head_attention");

bool isFastPath(const Node* n) { return n->kind() == kEncoder || n->kind() == kAttention; }
bool comesApart(const Node* n) { return n->kind() == kEncoder || isOfOneTensor(n); }

bool hasOptionalTensors(const jit::Graph& graph) {
  return std::any_of(graph.inputs().begin(), graph.inputs().end(),
                     [](const Value* v) { return v->type()->kind() == c10::TypeKind::OptionalType; });
}

// A layer asks for gradients and autocast to choose between the operator and the same written out. What the
// operator consists of serves both. (The encoder asks as well, to choose nested tensors: that stays.)
void settleQuestions(jit::Graph& graph, const std::set<std::string>& layers) {
  constexpr std::string_view kQuestions[] = {"aten::is_grad_enabled", "aten::is_autocast_enabled"};
  auto asked = nodesWhere(graph.block(), [&](Node* n) {
    return isOneOf(kQuestions, n) && isOfTorchsLayers(n) && layers.count(n->scopeName());
  });
  if (asked.empty()) return;
  Value* no = constantOf(graph, false);
  for (Node* n : asked) {
    n->output()->replaceAllUsesWith(no);
    n->destroy();
  }
}

}  // namespace

void takeLayersApart(jit::Graph& graph) {
  if (makesNested(graph) && !hasOptionalTensors(graph)) return;
  auto layers = nodesWhere(graph.block(), isFastPath);
  std::set<std::string> apart, whole;  // by the module paths of the layers
  for (Node* n : layers) (comesApart(n) ? apart : whole).insert(n->scopeName());
  for (auto& path : whole) apart.erase(path);
  settleQuestions(graph, apart);
  for (Node* n : layers) {
    if (!comesApart(n)) continue;
    putInPlace(n, n->kind() == kEncoder ? "encoder_layer"
                  : wantsWeights(n)     ? "self_attention_and_weights"
                                        : "self_attention");
    n->destroy();
  }
}

bool makesNested(jit::Graph& graph) {
  auto isMaker = [](const Node* n) {
    return std::string_view(n->kind().toUnqualString()).find("nested_tensor") != std::string_view::npos;
  };
  return !nodesWhere(graph.block(), isMaker).empty();
}

}  // namespace kadvise::graph
