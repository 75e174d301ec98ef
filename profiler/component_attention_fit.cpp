#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiler/component_attention.h"

namespace kadvise {
namespace {

using at::Tensor;

enum class Role { Query, Key, Value, Fused, Out };

// The names that projections go by in public models; the last part of the path, numbers aside.
struct RoleName {
  Role role;
  const char* name;
};
constexpr RoleName kRoleNames[] = {
    {Role::Query, "q"},
    {Role::Query, "query"},
    {Role::Query, "q_proj"},
    {Role::Query, "to_q"},
    {Role::Query, "wq"},
    {Role::Query, "q_lin"},
    {Role::Query, "q_proj_weight"},
    {Role::Key, "k"},
    {Role::Key, "key"},
    {Role::Key, "k_proj"},
    {Role::Key, "to_k"},
    {Role::Key, "wk"},
    {Role::Key, "k_lin"},
    {Role::Key, "k_proj_weight"},
    {Role::Value, "v"},
    {Role::Value, "value"},
    {Role::Value, "v_proj"},
    {Role::Value, "to_v"},
    {Role::Value, "wv"},
    {Role::Value, "v_lin"},
    {Role::Value, "v_proj_weight"},
    {Role::Fused, "qkv"},
    {Role::Fused, "c_attn"},
    {Role::Fused, "Wqkv"},
    {Role::Fused, "query_key_value"},
    {Role::Fused, "qkv_proj"},
    {Role::Fused, "in_proj"},
    {Role::Fused, "to_qkv"},
    {Role::Out, "o"},
    {Role::Out, "out"},
    {Role::Out, "o_proj"},
    {Role::Out, "out_proj"},
    {Role::Out, "to_out"},
    {Role::Out, "wo"},
    {Role::Out, "dense"},
    {Role::Out, "out_lin"},
    {Role::Out, "proj"},
    {Role::Out, "c_proj"},
};

struct Projection {
  Tensor weight, bias;  // [out, in]
};

struct Weights {
  std::optional<Projection> q, k, v, out;
  bool interleaved = false;  // a fused projection holds q, k and v of a head side by side
};

// "attn.to_out.0.weight" -> "to_out"; "in_proj_weight" -> "in_proj".
std::string partName(std::string name, bool& bias) {
  for (const char* end : {"weight", "bias"}) {
    std::string e = end;
    if (name.size() <= e.size() || name.compare(name.size() - e.size(), e.size(), e) != 0) continue;
    bias = e == "bias";
    name.resize(name.size() - e.size() - 1);
    break;
  }
  auto last = [&] { return name.substr(name.rfind('.') + 1); };
  while (name.find('.') != std::string::npos && last().find_first_not_of("0123456789") == std::string::npos)
    name.resize(name.rfind('.'));
  return last();
}

struct Named {
  std::optional<Projection> of[5];
};

std::string collect(const Specimen& s, Named& out) {
  for (auto& [name, tensor] : s.tensors()) {
    if (!tensor.is_floating_point() || tensor.numel() < 2) continue;
    bool bias = false;
    std::string part = partName(name, bias);
    auto* known =
        std::find_if(std::begin(kRoleNames), std::end(kRoleNames), [&](auto& r) { return part == r.name; });
    if (known == std::end(kRoleNames)) return "what the parameter " + name + " is for is not known";
    auto& slot = out.of[static_cast<int>(known->role)];
    if (!slot) slot.emplace();
    Tensor& place = bias ? slot->bias : slot->weight;
    if (place.defined()) return "two parameters are called like " + part;
    place = tensor;
  }
  return "";
}

// [in, out] storage (GPT-2's Conv1D) is told by a fused weight; its square neighbour is stored alike.
std::string readWeights(const Specimen& s, std::vector<Weights>& readings) {
  Named named;
  if (auto trouble = collect(s, named); !trouble.empty()) return trouble;
  auto role = [&](Role r) -> std::optional<Projection>& { return named.of[static_cast<int>(r)]; };
  auto features = s.input().size(2);
  for (auto& slot : named.of)
    if (slot && (!slot->weight.defined() || slot->weight.dim() != 2))
      return "a projection has no weight of two dimensions";
  Weights w{role(Role::Query), role(Role::Key), role(Role::Value), role(Role::Out), false};
  auto& fused = role(Role::Fused);
  if (!fused) {
    if (!w.q || !w.k || !w.v) return "its parameters have no names of a query, a key and a value";
    if (w.q->weight.size(1) != features)
      return "the query projection does not take the features of the input";
    readings.push_back(w);
    return "";
  }
  if (fused->weight.size(1) != features || fused->weight.size(0) % 3) {
    if (fused->weight.size(0) != features || fused->weight.size(1) % 3)
      return "the fused projection does not take the features of the input three times";
    fused->weight = fused->weight.t();
    if (w.out) w.out->weight = w.out->weight.t();
  }
  auto parts = fused->weight.chunk(3, 0);
  std::vector<Tensor> biases(3);
  if (fused->bias.defined()) biases = fused->bias.chunk(3, 0);
  w.q = Projection{parts[0], biases[0]}, w.k = Projection{parts[1], biases[1]},
  w.v = Projection{parts[2], biases[2]};
  readings.push_back(w);
  w.q = fused, w.k.reset(), w.v.reset(), w.interleaved = true;
  readings.push_back(w);
  return "";
}

Tensor projected(const Tensor& x, const Projection& p, c10::ScalarType type) {
  return at::linear(x, p.weight.to(type),
                    p.bias.defined() ? std::optional<Tensor>(p.bias.to(type)) : std::nullopt);
}

// [batch, tokens, heads * size] -> [batch, heads, tokens, size]
Tensor headsOf(const Tensor& x, std::int64_t size) {
  return x.reshape({x.size(0), x.size(1), -1, size}).transpose(1, 2);
}

Tensor maskFor(const AttentionFacts& facts, const Tensor& scores) {
  auto tokens = scores.size(-1);
  auto options = scores.options().dtype(at::kBool);
  Tensor keep = at::ones({tokens, tokens}, options);
  if (facts.causal) keep = keep.tril();
  if (facts.window) keep = keep.triu(1 - facts.window);
  if (facts.maskedKeys.defined())
    keep = keep.logical_and(facts.maskedKeys.to(scores.device()).logical_not().unsqueeze(0));
  return keep;
}

Formula formulaOf(const Weights& w, std::int64_t heads, std::int64_t size, double scale,
                  const AttentionFacts& facts) {
  return [=](const Tensor& x, c10::ScalarType type) {
    Tensor q, k, v;
    if (w.interleaved) {
      Tensor all = projected(x, *w.q, type).reshape({x.size(0), x.size(1), heads, 3, size});
      q = all.select(3, 0).transpose(1, 2), k = all.select(3, 1).transpose(1, 2),
      v = all.select(3, 2).transpose(1, 2);
    } else {
      q = headsOf(projected(x, *w.q, type), size), k = headsOf(projected(x, *w.k, type), size),
      v = headsOf(projected(x, *w.v, type), size);
      auto groups = heads / k.size(1);
      if (groups > 1) k = k.repeat_interleave(groups, 1), v = v.repeat_interleave(groups, 1);
    }
    Tensor scores = q.matmul(k.transpose(-1, -2)) * scale;
    scores = scores.masked_fill(maskFor(facts, scores).logical_not(), -INFINITY);
    Tensor mixed = scores.softmax(-1).matmul(v).transpose(1, 2).reshape({x.size(0), x.size(1), -1});
    return w.out ? projected(mixed, *w.out, type) : mixed;
  };
}

std::int64_t attributeHeads(const torch::jit::Module& module) {
  for (const char* name : {"num_heads", "num_attention_heads", "n_heads", "n_head", "heads", "nhead"})
    if (module.hasattr(name) && module.attr(name).isInt()) return module.attr(name).toInt();
  return 0;
}

// Whether the numbers of heads fit the shapes; a fused interleaved projection holds three of each.
bool fits(const Weights& w, std::int64_t heads, std::int64_t& size) {
  auto rows = w.q->weight.size(0) / (w.interleaved ? 3 : 1);
  if (heads < 1 || rows % heads) return false;
  size = rows / heads;
  if (!w.interleaved) {
    auto keys = w.k->weight.size(0);
    if (keys % size || keys != w.v->weight.size(0) || heads % std::max<std::int64_t>(1, keys / size))
      return false;
  }
  return !w.out || w.out->weight.size(1) == rows;
}

std::vector<std::pair<Scaling, double>> scalings(std::int64_t size, std::int64_t features) {
  auto sqrtOf = [](std::int64_t n) { return "1/sqrt(" + std::to_string(n) + ")"; };
  double d = static_cast<double>(size), f = static_cast<double>(features);
  std::vector<std::pair<Scaling, double>> out = {{{sqrtOf(size), true}, 1 / std::sqrt(d)}};
  if (size == 1) return out;
  out.push_back({{"1", false}, 1});
  out.push_back({{"1/" + std::to_string(size), false}, 1 / d});
  if (features != size) out.push_back({{sqrtOf(features), false}, 1 / std::sqrt(f)});
  return out;
}

}  // namespace

AttentionFit fitAttention(const Specimen& s, const AttentionFacts& facts) {
  AttentionFit best;
  std::vector<Weights> readings;
  best.trouble = readWeights(s, readings);
  if (!best.trouble.empty()) return best;
  std::int64_t known = s.heads() ? s.heads() : attributeHeads(s.module());
  // Scores of some size, so that the softmax is not flat and the scale shows.
  Tensor x = s.random(2), given = s(x);
  double least = INFINITY;
  for (auto& w : readings)
    for (std::int64_t heads = known ? known : 1, size = 0; heads <= (known ? known : s.input().size(2));
         ++heads) {
      if (!fits(w, heads, size)) continue;
      for (auto& [scaling, factor] : scalings(size, s.input().size(2))) {
        auto formula = formulaOf(w, heads, size, factor, facts);
        Tensor truth = formula(x.to(at::kDouble), at::kDouble);
        if (truth.sizes() != given.sizes()) continue;
        double difference = relativeDifference(given, truth);
        if (difference >= least) continue;
        least = difference;
        best.heads = heads, best.keyHeads = w.interleaved ? heads : w.k->weight.size(0) / size,
        best.headSize = size;
        best.scaling = scaling, best.formula = formula;
      }
    }
  if (least > roundingOf(given.scalar_type()))
    best.trouble = std::isfinite(least)
                       ? "no number of heads and no usual scale gives these outputs (nearest: " +
                             std::to_string(best.heads) + " heads, relative difference " + number(least) + ")"
                       : (known ? std::to_string(known) + " heads do not fit the projections"
                                : std::string("no number of heads fits the projections"));
  return best;
}

}  // namespace kadvise
