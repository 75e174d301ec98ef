#include "analyzer/graph/late_bias.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_bias.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// What an operator makes of a number that is added to all of a channel.
enum class Effect {
  TakenOut,       // with the channel's mean
  TakenOutOfOne,  // where a group is one channel
  OfMaxima,       // the largest of sums is the sum of the largest
  OfMeans,        // where padding is no part of the mean
};
struct Reader {
  std::string_view name;
  Effect effect;
  std::size_t rank = 0;  // of a batch of images; 0: any
};
constexpr Reader kReaders[] = {
    {"aten::instance_norm", Effect::TakenOut},   {"kadvise::instance_norm", Effect::TakenOut},
    {"aten::group_norm", Effect::TakenOutOfOne}, {"kadvise::group_norm", Effect::TakenOutOfOne},
    {"aten::max_pool1d", Effect::OfMaxima, 3},   {"aten::max_pool2d", Effect::OfMaxima, 4},
    {"aten::max_pool3d", Effect::OfMaxima, 5},   {"kadvise::max_pool", Effect::OfMaxima},
    {"aten::avg_pool1d", Effect::OfMeans, 3},    {"aten::avg_pool2d", Effect::OfMeans, 4},
    {"aten::avg_pool3d", Effect::OfMeans, 5},    {"kadvise::avg_pool", Effect::OfMeans},
};

// Of images of that rank: a pooling over more dimensions goes over the channels.
std::optional<Effect> effectOf(const Node* n, std::size_t rank) {
  std::string_view name = n->kind().toQualString();
  for (auto& reader : kReaders)
    if (reader.name == name && (reader.rank == 0 || reader.rank == rank)) return reader.effect;
  return std::nullopt;
}

// A convolution with a bias that takes a pass of its own, and the operator that alone reads it.
struct Place {
  Node *convolution, *reader;
  Effect effect;       // no longer TakenOutOfOne
  TracedValue result;  // of the convolution
  Value* bias;
  Cost pass;
};

// Whether each group of the norm is one channel; over several see shift_before_norm.h.
bool isOfOneChannel(const Node* norm, const TracedValue& image) {
  const char* groups = norm->kind() == jit::aten::group_norm ? "num_groups" : "groups";
  return constantInt(argumentNamed(norm, groups)) == image.shape[1];
}

std::optional<Place> placeOf(Node* n, const TracedValues& traced) {
  auto pass = biasPassOf(n, traced);
  Node* reader = pass ? onlyReader(n->output()) : nullptr;
  if (!reader || reader->owningBlock() != n->owningBlock()) return std::nullopt;
  const TracedValue& result = *traced.find(n->output());
  auto effect = effectOf(reader, result.shape.size());
  if (effect == Effect::TakenOutOfOne)
    effect = isOfOneChannel(reader, result) ? std::optional(Effect::TakenOut) : std::nullopt;
  if (!effect) return std::nullopt;
  return Place{n, reader, *effect, result, argumentNamed(n, "bias"), rowCostOf(n, *pass, traced)};
}

bool isConstant(const Node* n, const char* argument, const c10::IValue& value) {
  Value* v = argumentNamed(n, argument);
  auto constant = v ? jit::toIValue(v) : std::nullopt;
  return constant && *constant == value;
}
bool isNoneOrMissing(const Node* n, const char* argument) {
  Value* v = argumentNamed(n, argument);
  return !v || isNone(v);
}

bool isUnpadded(const Node* n) {
  auto given = jit::toIValue(argumentNamed(n, "padding"));
  if (!given || !given->isIntList()) return false;
  auto padding = given->toIntVector();
  return std::all_of(padding.begin(), padding.end(), [](auto p) { return p == 0; });
}

bool isTakenOut(const Place& p) { return p.effect == Effect::TakenOut; }

std::optional<Mismatch> whyNot(const Place& p, const TracedValues& traced) {
  const Node* n = p.reader;
  if (isTakenOut(p)) {
    // Statistics of a run are those of the input with its bias.
    if (!isNoneOrMissing(n, "running_mean") || !isNoneOrMissing(n, "running_var"))
      return Mismatch{"the norm", "has running statistics, of which the bias is a part"};
    return std::nullopt;
  }
  if (p.effect == Effect::OfMeans) {
    if (!isNoneOrMissing(n, "divisor_override") || !isNoneOrMissing(n, "divisor"))
      return Mismatch{"the mean", "is divided by a number of its own"};
    if (!isUnpadded(n) && !isConstant(n, "count_include_pad", false))
      return Mismatch{"the mean", "counts its padding, to which no bias is added"};
  }
  if (!isNoneOrMissing(n, "activation"))
    return Mismatch{"the activation", "stands between the pooling and what is added behind it"};
  auto result = tensorOf(n->output(), traced);
  if (!result || 2 * elements(*result) > elements(p.result))
    return Mismatch{"the pooling", "leaves more than half of the elements, or was not seen"};
  return std::nullopt;
}

MadeRewrite rewritten(const Place& p) {
  MadeRewrite made;
  std::vector<Value*> parameters;
  made.roots = {p.reader, p.convolution};  // the latter for who asks for its sizes
  auto pattern =
      patternOf({p.convolution, p.reader}, {p.reader->output(), p.convolution->output()}, parameters);
  auto nameOf = [&](const Value* v) {
    return v == p.convolution->output() ? "y" : parameterName(parameters, v);
  };
  std::string result = callOf(p.reader, nameOf);
  if (!isTakenOut(p)) {
    std::string sizes = "-1";
    for (std::size_t i = 2; i < p.result.shape.size(); ++i) sizes += ", 1";
    result = "torch.add(" + result + ", torch.reshape(" + nameOf(p.bias) + ", [" + sizes + "]))";
  }
  const std::string body =
      "    y = " + callWithoutBias(p.convolution, nameOf) + "\n    return " + result + ", y\n";
  const char* title = isTakenOut(p) ? "the convolution without its bias" : "the bias behind the pooling";
  made.replacement = replacementOf(*pattern, body, {1, Exactness::Reassociates, "", title});
  made.pattern = pattern;
  return made;
}

std::string messageOf(const Place& p) {
  const std::string pass = "the convolution's bias takes a pass over its result, ";
  return pass + (isTakenOut(p) ? "and the norm behind takes it out again with the mean of each channel"
                               : "where the pooling behind leaves less to add it to");
}

}  // namespace

CodedResult findLateBiases(const RulePage&, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    auto place = placeOf(n, analysis.traced);
    if (!place || place->pass.kernels == 0) return;
    if (auto why = whyNot(*place, analysis.traced)) {
      out.refused.push_back({n, *why});
      return;
    }
    if (analysis.taken.count(place->reader)) {  // for an operator that will do as well
      out.kept.push_back(n);
      out.looksAgain = true;
      return;
    }
    CodedFinding f;
    f.node = n;
    f.message = messageOf(*place);
    f.related = {place->reader};
    f.rewrite = rewritten(*place);
    out.findings.push_back(std::move(f));
  });
  if (out.findings.empty() && out.refused.empty() && out.kept.empty())
    out.whyNothing =
        "no convolution with a bias has its result read by a norm of each channel or a pooling alone";
  return out;
}

}  // namespace kadvise::graph
