// Self-attention over [batch, tokens, features]: what an output depends on, and softmax(q kᵀ · scale + mask)
// v.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiler/component.h"
#include "profiler/component_attention.h"
#include "profiler/failure.h"

namespace kadvise {
namespace {

using at::Tensor;
using Status = Property::Status;

constexpr std::int64_t kMostTokens = 64;

// Which outputs move when a token is changed: [to, from]. Equal kernels on equal numbers give equal bits, so
// an output that does not depend on the token stays exactly as it was.
Tensor dependencies(const Specimen& s) {
  Tensor x = s.random(), before = s(x);
  auto tokens = x.size(1);
  Tensor out = at::zeros({tokens, tokens}, at::kBool);
  for (std::int64_t j = 0; j < tokens; ++j) {
    Tensor changed = x.clone();
    changed.select(1, j).mul_(-1).add_(0.5);
    out.select(1, j).copy_(s(changed).ne(before).any(-1).any(0));
  }
  return out;
}

Property readDependencies(const Tensor& depends, AttentionFacts& facts) {
  auto tokens = depends.size(0);
  Tensor later = at::ones_like(depends).triu(1);
  if (depends.all().item<bool>()) return {"dependence", Status::Pass, "every output depends on every token"};
  if (!depends.logical_and(later).any().item<bool>()) {
    facts.causal = true;
    if (depends.logical_or(later).all().item<bool>())
      return {"causal", Status::Pass, "no output depends on later tokens, and each on all before"};
    Tensor first = depends.to(at::kInt).argmax(1);
    auto window = (at::arange(tokens) - first + 1).max().item<std::int64_t>();
    Tensor band = at::ones_like(depends).tril().triu(1 - window);
    if (depends.eq(band).all().item<bool>()) {
      facts.window = window;
      return {"causal", Status::Pass,
              "no output depends on later tokens, and each on the last " + std::to_string(window)};
    }
  }
  // Keys that a mask takes away are missing for every output.
  Tensor missing = depends.any(0).logical_not();
  Tensor rest = depends.logical_or(missing.unsqueeze(0));
  if (missing.any().item<bool>() && rest.all().item<bool>()) {
    facts.maskedKeys = missing;
    return {"dependence", Status::Pass,
            std::to_string(missing.sum().item<std::int64_t>()) + " of " + std::to_string(tokens) +
                " keys are masked for every output, and each output depends on all others"};
  }
  Tensor leak = depends.logical_and(later).nonzero();
  facts.strange = true;
  if (leak.size(0) * 4 < tokens * (tokens - 1) / 2 && leak.size(0) > 0)
    return {"causal", Status::Fail,
            "an output depends on a later token in " + std::to_string(leak.size(0)) + " of " +
                std::to_string(later.sum().item<std::int64_t>()) + " pairs, such as output " +
                std::to_string(leak[0][0].item<std::int64_t>()) + " on token " +
                std::to_string(leak[0][1].item<std::int64_t>())};
  return {"dependence", Status::Unknown,
          "each output depends on some tokens, in no pattern that is known here"};
}

Property batchIsIndependent(const Specimen& s) {
  Tensor x = s.random(), changed = x.clone();
  if (x.size(0) < 2)
    return {"sequences are independent", Status::Skipped, "the batch has one sequence; give two"};
  changed.select(0, 0).mul_(-1);
  double moved = (s(changed) - s(x)).narrow(0, 1, x.size(0) - 1).abs().max().to(at::kDouble).item<double>();
  return passOrFail("sequences are independent", moved == 0,
                    "largest change of another sequence " + number(moved));
}

// The last output sees all tokens, whether causal or not: the order of the others must not matter to it.
Property keysArePermutable(const Specimen& s, AttentionFacts& facts) {
  const char* name = "order of the keys does not matter";
  if (facts.window || facts.maskedKeys.defined() || facts.strange)
    return {name, Status::Skipped, "the mask tells the keys apart"};
  Tensor x = s.random();
  auto tokens = x.size(1);
  Tensor shuffled = at::cat({x.narrow(1, 0, tokens - 1).flip({1}), x.narrow(1, tokens - 1, 1)}, 1);
  double difference = relativeDifference(s(shuffled).select(1, tokens - 1), s(x).select(1, tokens - 1));
  if (difference < roundingOf(x.scalar_type()))
    return {name, Status::Pass, "relative difference " + number(difference)};
  facts.strange = true;
  return {name, Status::Unknown,
          "it matters (relative difference " + number(difference) +
              "), as with positional encodings inside, which no reference here has"};
}

// With equal tokens every mean of the values is the value: the output tells nothing of the softmax but its
// sum.
Property rowsSumToOne(const Specimen& s) {
  Tensor x = s.random(), equal = x.narrow(1, 0, 1).expand_as(x).contiguous();
  Tensor many = s(equal), first = many.narrow(1, 0, 1);
  double apart = relativeDifference(many, first.expand_as(many));
  std::string figures = "equal tokens give equal outputs, relative difference " + number(apart);
  bool pass = apart < roundingOf(x.scalar_type());
  try {
    double alone = relativeDifference(s(x.narrow(1, 0, 1)), first);
    figures += "; one token alone gives " +
               std::string(alone < roundingOf(x.scalar_type()) ? "the same" : "another output") + ", " +
               number(alone);
    pass = pass && alone < roundingOf(x.scalar_type());
  } catch (const std::exception&) {
    figures += "; the module does not run on one token alone";
  }
  return passOrFail("softmax rows sum to one", pass, figures);
}

std::string scaleWords(const Scaling& scaling, std::int64_t headSize) {
  std::string d = std::to_string(headSize);
  return scaling.name + (scaling.usual ? "" : " where the reference has 1/sqrt(" + d + ")");
}

}  // namespace

std::vector<Property> examineAttention(const Specimen& s) {
  if (!s.input().is_floating_point() || s.input().dim() != 3)
    return {{"input", Status::Unknown, "the input is not a floating tensor of [batch, tokens, features]"}};
  if (s.input().size(1) < 3 || s.input().size(1) > kMostTokens)
    return {{"input", Status::Unknown,
             "give between 3 and " + std::to_string(kMostTokens) +
                 " tokens, so that what depends on what can be tried"}};
  Tensor y = s(s.input());
  if (y.dim() != 3 || y.size(0) != s.input().size(0) || y.size(1) != s.input().size(1))
    return {{"output", Status::Unknown, "the first output is not a tensor of [batch, tokens, features]"}};
  AttentionFacts facts;
  std::vector<Property> out = {batchIsIndependent(s), readDependencies(dependencies(s), facts)};
  out.push_back(keysArePermutable(s, facts));
  out.push_back(rowsSumToOne(s));
  if (facts.strange) return out;
  auto fit = fitAttention(s, facts);
  if (!fit.trouble.empty()) {
    out.push_back({"reference", Status::Unknown, fit.trouble});
    return out;
  }
  out.push_back(
      {"heads", Status::Pass,
       std::to_string(fit.heads) + " heads of " + std::to_string(fit.headSize) +
           (fit.keyHeads == fit.heads ? "" : ", " + std::to_string(fit.keyHeads) + " of keys and values")});
  out.push_back(passOrFail("scale", fit.scaling.usual, scaleWords(fit.scaling, fit.headSize)));
  for (auto& p : matchesOver(s, "attention", fit.formula)) out.push_back(p);
  return out;
}

}  // namespace kadvise
