#include "analyzer/graph/guess_inputs.h"

#include <algorithm>

#include "analyzer/core/input_spec.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Use;
using jit::Value;

constexpr std::int64_t kBatch = 2, kLength = 32, kImageSide = 224, kSmallImageSide = 64, kSamples = 128,
                       kFrames = 8;
constexpr std::int64_t kLargeModelElements =
    1 << 20;  // image models above it were made for images of the usual size
constexpr int kMostSteps = 12;

bool isOneOf(const Node* n, std::initializer_list<const char*> names) {
  std::string_view name = n->kind().toQualString();
  return std::any_of(names.begin(), names.end(), [&](const char* x) { return name == x; });
}

struct Guesser {
  const jit::Module& module;
  std::int64_t imageSide;

  std::optional<at::Tensor> weight(Value* v) const {
    if (auto path = attributePath(v))
      if (auto value = attributeAt(module, *path); value.isTensor()) return value.toTensor();
    auto constant = jit::toIValue(v);
    if (constant && constant->isTensor()) return constant->toTensor();
    return std::nullopt;
  }

  InputSpec spec(const at::Tensor& like, std::vector<std::int64_t> shape) const {
    InputSpec out;
    out.dtype = like.is_floating_point() ? nameOf(like.scalar_type()) : "float32";
    out.shape = std::move(shape);
    return out;
  }

  InputSpec indices(std::int64_t below) const {
    InputSpec out;
    out.dtype = "int64";
    out.shape = {kBatch, kLength};
    out.below = below;
    return out;
  }

  std::vector<std::int64_t> spatial(std::int64_t rank) const {
    if (rank == 1) return {kSamples};
    if (rank == 2) return {imageSide, imageSide};
    return {kFrames, kSmallImageSide, kSmallImageSide};
  }

  std::optional<InputSpec> convolution(Node* n, bool transposed) const {
    auto w = weight(n->input(1));
    if (!w || w->dim() < 3 || w->dim() > 5) return std::nullopt;
    auto groups = constantInt(n->input(6)).value_or(1);
    std::vector<std::int64_t> shape = {kBatch, transposed ? w->size(0) : w->size(1) * groups};
    for (auto s : spatial(w->dim() - 2)) shape.push_back(s);
    return spec(*w, std::move(shape));
  }

  // A layer over the last dimension says nothing of those between it and the batch; what is done with the
  // result may.
  std::optional<InputSpec> lastDimension(Node* n, Value* x, const at::Tensor& w, std::int64_t width) const {
    std::vector<std::int64_t> shape = {kBatch};
    for (auto rank = std::max(rankSeen(x, 0), rankSeen(n->output(), 0)); rank > 2; --rank)
      shape.push_back(kLength);
    shape.push_back(width);
    return spec(w, std::move(shape));
  }

  // The smallest rank that the uses of a value ask for, through operators that keep it.
  std::int64_t rankSeen(Value* v, int steps) const {
    if (steps > kMostSteps) return 0;
    std::int64_t rank = 0;
    for (const Use& use : v->uses()) {
      Node* n = use.user;
      if (use.offset != 0) continue;
      if (isOneOf(n, {"aten::size", "aten::transpose", "aten::select", "aten::slice"}))
        for (std::size_t i = 1; i < std::min<std::size_t>(n->inputs().size(), 3); ++i)
          if (auto dim = constantInt(n->input(i)); dim && (i == 1 || n->kind() == jit::aten::transpose))
            rank = std::max(rank, *dim + 1);
      if (isOneOf(n, {"aten::permute"}))
        if (auto dims = jit::toIValue(n->input(1)); dims && dims->isIntList())
          rank = std::max(rank, static_cast<std::int64_t>(dims->toIntVector().size()));
      if (isOneOf(n, {"aten::linear", "aten::add", "aten::layer_norm", "aten::relu", "aten::gelu",
                      "aten::mul", "aten::silu", "aten::to"}))
        rank = std::max(rank, rankSeen(n->output(), steps + 1));
    }
    return rank;
  }

  // x + P, x * P: with a parameter, whose shape it then has but for the batch.
  std::optional<InputSpec> besideParameter(Node* n, std::size_t at) const {
    auto w = weight(n->input(1 - at));
    if (!w || w->dim() == 0) return std::nullopt;
    std::vector<std::int64_t> shape = w->sizes().vec();
    if (w->dim() > 1 && shape[0] == 1) shape[0] = kBatch;
    else shape.insert(shape.begin(), kBatch);
    return spec(*w, std::move(shape));
  }

  std::optional<InputSpec> normalised(Node* n) const {
    auto shape = jit::toIValue(n->input(1));
    if (!shape || !shape->isIntList()) return std::nullopt;
    std::vector<std::int64_t> full = {kBatch};
    for (auto rank = rankSeen(n->input(0), 0);
         rank > 1 + static_cast<std::int64_t>(shape->toIntVector().size()); --rank)
      full.push_back(kLength);
    for (auto s : shape->toIntVector()) full.push_back(s);
    auto w = weight(n->input(2));
    return spec(w ? *w : at::empty({0}), std::move(full));
  }

  // What one use says, without looking further.
  std::optional<InputSpec> direct(Node* n, std::size_t at) const {
    if (isOneOf(n, {"aten::embedding"}) && at == 1)
      if (auto w = weight(n->input(0))) return indices(w->size(0));
    if (at == 0 && isOneOf(n, {"aten::conv1d", "aten::conv2d", "aten::conv3d"}))
      return convolution(n, /*transposed=*/false);
    if (at == 0 && isOneOf(n, {"aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d"}))
      return convolution(n, /*transposed=*/true);
    if (at == 0 && isOneOf(n, {"aten::linear"}))
      if (auto w = weight(n->input(1))) return lastDimension(n, n->input(0), *w, w->size(-1));
    if (at == 0 && isOneOf(n, {"aten::matmul", "aten::mm"}))
      if (auto w = weight(n->input(1)); w && w->dim() == 2)
        return lastDimension(n, n->input(0), *w, w->size(0));
    if (at == 0 && isOneOf(n, {"aten::layer_norm"})) return normalised(n);
    if (at < 2 && n->inputs().size() >= 2 && isOneOf(n, {"aten::add", "aten::sub", "aten::mul", "aten::div"}))
      return besideParameter(n, at);
    return std::nullopt;
  }

  // 1 - mask, mask == 0, x.masked_fill(mask, …): what is asked of zeros and ones.
  bool asksForZerosAndOnes(Node* n, std::size_t at) const {
    if (isOneOf(n, {"aten::masked_fill"})) return at == 1;
    if (isOneOf(n, {"aten::where"})) return at == 0;
    if (isOneOf(n, {"aten::eq", "aten::ne"}))
      return at == 0 && (constantInt(n->input(1)) == 0 || constantInt(n->input(1)) == 1);
    if (isOneOf(n, {"aten::logical_not", "aten::bitwise_not"})) return true;
    if (isOneOf(n, {"aten::rsub"})) return at == 0 && isOne(n->input(1));
    return isOneOf(n, {"aten::sub"}) && at == 1 && isOne(n->input(0));
  }

  static bool isOne(Value* v) {
    auto c = jit::toIValue(v);
    if (!c) return false;
    if (c->isInt()) return c->toInt() == 1;
    if (c->isDouble()) return c->toDouble() == 1;
    return c->isTensor() && c->toTensor().numel() == 1 && c->toTensor().item<double>() == 1;
  }

  std::optional<InputSpec> look(Value* v, int steps) const {
    if (steps > kMostSteps) return std::nullopt;
    auto uses = v->uses();
    std::sort(uses.begin(), uses.end(),
              [](const Use& a, const Use& b) { return a.user != b.user && a.user->isBefore(b.user); });
    for (const Use& use : uses) {
      if (auto said = direct(use.user, use.offset)) return said;
      if (asksForZerosAndOnes(use.user, use.offset)) return mask(use.user, v);
      bool handsOn =
          isOneOf(use.user, {"aten::to", "aten::contiguous", "aten::clone", "aten::detach", "aten::unsqueeze",
                             "aten::slice", "aten::expand", "aten::relu", "aten::type_as", "aten::dropout"});
      if (!handsOn || use.offset != 0) continue;
      if (auto said = look(use.user->output(), steps + 1)) return said;
    }
    return std::nullopt;
  }

  // A mask whose use says nothing: added to scores it is a float for each key, otherwise zeros and ones.
  std::optional<InputSpec> byName(Value* v) const {
    if (v->debugName().find("mask") == std::string::npos) return std::nullopt;
    bool added = std::any_of(v->uses().begin(), v->uses().end(),
                             [](const Use& use) { return use.user->kind() == jit::aten::add; });
    return added ? spec(at::empty({0}), {kBatch, 1, 1, kLength}) : indices(2);
  }

  InputSpec mask(Node* user, Value* v) const {
    auto out = indices(2);
    bool direct = v->node()->kind() == jit::prim::Param;
    if (direct && isOneOf(user, {"aten::masked_fill", "aten::where", "aten::logical_not"}))
      out.dtype = "bool", out.below.reset();
    return out;
  }
};

bool mayBeLeftOut(const Value* v) { return v->type()->kind() == c10::TypeKind::OptionalType; }

}  // namespace

std::vector<std::string> guessInputs(const jit::Module& module) {
  std::int64_t elements = 0;
  for (const auto& p : module.parameters()) elements += p.numel();
  Guesser guesser{module, elements > kLargeModelElements ? kImageSide : kSmallImageSide};
  auto graph = module.get_method("forward").graph();
  std::vector<std::string> out;
  std::size_t needed = 0;
  for (std::size_t i = 1; i < graph->inputs().size(); ++i) {
    Value* input = graph->inputs()[i];
    auto said = isTensor(input) ? guesser.look(input, 0) : std::nullopt;
    if (!said && isTensor(input)) said = guesser.byName(input);
    bool given = said.has_value() || !mayBeLeftOut(input);
    if (given && !said) return {};
    out.push_back(said ? toString(*said) : "null");
    if (given) needed = out.size();
  }
  out.resize(needed);
  return out;
}

}  // namespace kadvise::graph
