#include "analyzer/graph/layers_apart.h"

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
def attention(x: Tensor, width: int, heads: int, qkv_weight: Tensor, qkv_bias: Tensor, weight: Tensor, bias: Tensor,
              mask: Optional[Tensor], kind: Optional[int]) -> Tensor:
  count, length = x.size(0), x.size(1)
  heads_apart = [count, length, heads, width // heads]
  q, k, v = torch.chunk(torch.linear(x, qkv_weight, qkv_bias), 3, -1)
  q = torch.reshape(q, heads_apart).transpose(1, 2)
  k = torch.reshape(k, heads_apart).transpose(1, 2)
  v = torch.reshape(v, heads_apart).transpose(1, 2)
  if mask is None:
    y = torch.scaled_dot_product_attention(q, k, v)
  else:
    hidden = mask.to(11)
    if kind is not None and kind == 1:
      hidden = torch.reshape(hidden, [count, 1, 1, length])
    scores = torch.matmul(q * float(width // heads) ** -0.5, k.transpose(-2, -1))
    y = torch.matmul(torch.softmax(torch.masked_fill(scores, hidden, float("-inf")), -1), v)
  return torch.linear(torch.reshape(y.transpose(1, 2), [count, length, width]), weight, bias)

def self_attention(x: Tensor, key: Tensor, value: Tensor, width: int, heads: int, qkv_weight: Tensor, qkv_bias: Tensor,
                   weight: Tensor, bias: Tensor, mask: Optional[Tensor], need_weights: bool, average: bool,
                   kind: Optional[int]) -> Tensor:
  if x.is_nested:
    y, _ = torch._native_multi_head_attention(x, key, value, width, heads, qkv_weight, qkv_bias, weight, bias, mask,
                                              need_weights, average, kind)
  else:
    y = attention(x, width, heads, qkv_weight, qkv_bias, weight, bias, mask, kind)
  return y

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
  static const auto unit = [] {
    auto made = std::make_shared<jit::CompilationUnit>();
    made->define(std::nullopt, kText, jit::nativeResolver(), nullptr);
    return made;
  }();
  auto body = jit::toGraphFunction(unit->get_function(c10::QualifiedName(name))).graph()->copy();
  jit::Inline(*body);
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
  layer->output(0)->replaceAllUsesWith(results[0]);
}

bool isOfOneTensor(Node* n) {
  constexpr std::size_t kNeedWeights = 10;
  auto needs = jit::toIValue(n->input(kNeedWeights));
  return n->input(0) == n->input(1) && n->input(0) == n->input(2) && needs && needs->isBool() &&
         !needs->toBool();
}

}  // namespace

void takeLayersApart(jit::Graph& graph) {
  static const auto encoder = c10::Symbol::fromQualString("aten::_transformer_encoder_layer_fwd");
  static const auto attention = c10::Symbol::fromQualString("aten::_native_multi_head_attention");
  std::vector<Node*> encoders, attentions;
  forEachNode(graph.block(), [&](Node* n) {
    if (n->kind() == encoder) encoders.push_back(n);
    else if (n->kind() == attention && isOfOneTensor(n)) attentions.push_back(n);
  });
  for (Node* n : encoders) {
    putInPlace(n, "encoder_layer");
    n->destroy();
  }
  for (Node* n : attentions) {
    putInPlace(n, "self_attention");
    if (!n->output(1)->hasUses()) n->destroy();  // else it goes when its readers are seen to be elsewhere
  }
}

bool makesNested(jit::Graph& graph) {
  bool found = false;
  forEachNode(graph.block(), [&](Node* n) {
    found =
        found || std::string_view(n->kind().toUnqualString()).find("nested_tensor") != std::string_view::npos;
  });
  return found;
}

}  // namespace kadvise::graph
