#include "analyzer/graph/mask_from_shapes.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/mask_program.h"
#include "analyzer/graph/mask_reach.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

// The inputs of scaled_dot_product_attention.
enum : std::size_t { kQuery, kKey, kValue, kMask, kDropped, kIsCausal, kScale, kInputs = 8 };

enum class Says { Causal, Everything, Other };

struct Judged {
  Says says = Says::Other;
  std::string why;    // of Other
  bool adds = false;  // it hides by a finite number that is added to the scores
};

// Lengths that every mask is tried at, beside the one that was seen. What a number inside the mask changes, a
// window say, shows at the first length beyond it; numbers larger than the longest are not tried.
constexpr std::int64_t kLengths[] = {1, 2, 7, 33, 64, 128, 256, 513};
constexpr std::int64_t kLongest = 512;
constexpr std::size_t kMostLengths = 32;
// Sizes that are tried for one alone, each beside some lengths.
constexpr std::int64_t kAlone[] = {1, 2, 3, 8, 64};
constexpr std::int64_t kBesideAlone[] = {2, 17, 64};

// What softmax makes 0 whatever the scores: large negative numbers, as far as the dtype goes.
double lowest(c10::ScalarType type) { return type == at::kHalf ? -65504.0 : -1.0e8; }

std::optional<at::Tensor> visibleIn(const at::Tensor& mask) {
  if (mask.scalar_type() == at::kBool) return mask;
  if (!mask.is_floating_point()) return std::nullopt;
  auto visible = mask.eq(0);
  bool clear = visible.logical_or(mask.le(lowest(mask.scalar_type()))).all().item<bool>();
  return clear ? std::optional(visible) : std::nullopt;
}

// A mask of one column says both.
bool agrees(const at::Tensor& mask, Says claim) {
  auto visible = mask.dim() < 2 || mask.numel() == 0 ? std::nullopt : visibleIn(mask);
  if (!visible) return false;
  if (claim == Says::Everything) return visible->all().item<bool>();
  auto causal = at::ones({mask.size(-2), mask.size(-1)}, at::kBool).tril();
  return visible->eq(causal).all().item<bool>();
}

Says sayingOf(const at::Tensor& mask) {
  for (Says claim : {Says::Everything, Says::Causal})
    if (agrees(mask, claim)) return claim;
  return Says::Other;
}

// Tries the mask at other sizes than those that were seen.
class Judge {
 public:
  Judge(const MaskProgram& program, const SizeValues& seen, std::int64_t length, std::int64_t reach,
        const TracedValues& traced)
      : program_(program), sizes_(seen), length_(std::min(length, kLongest)), reach_(reach), traced_(traced) {
    sizes_ = resized(length, length_);
  }

  Judged judge() const {
    auto first = maskFor(program_, sizes_, traced_);
    if (!first) return {Says::Other, "could not be computed here"};
    auto claim = sayingOf(*first);
    if (claim == Says::Other) return {claim, "is neither causal nor empty"};
    auto why = whyOtherAtSomeLength(claim);
    if (why.empty()) why = whyOtherAlone(claim);
    bool adds = claim == Says::Causal && first->is_floating_point() && !first->isinf().any().item<bool>();
    return why.empty() ? Judged{claim, "", adds} : Judged{Says::Other, why};
  }

 private:
  // All sizes that were `from` are `to`.
  SizeValues resized(std::int64_t from, std::int64_t to) const {
    auto sizes = sizes_;
    for (auto& [value, size] : sizes)
      if (size == from) size = to;
    return sizes;
  }

  std::string whyOtherAtSomeLength(Says claim) const {
    std::set<std::int64_t> lengths(std::begin(kLengths), std::end(kLengths));
    lengths.insert(length_ + 1);
    for (auto n : lengthsInside(program_)) lengths.insert({n, n + 2});
    lengths.insert(reach_ + 2);
    if (lengths.size() > kMostLengths) return "holds too many numbers to be tried";
    if (*lengths.rbegin() > kLongest + 2)
      return "holds the number " + std::to_string(*lengths.rbegin() - 2) +
             ": for sequences that are longer it may be another mask";
    for (auto n : lengths)
      if (auto why = whyOther(claim, n); !why.empty()) return why + " for a sequence of " + std::to_string(n);
    return "";
  }

  std::string whyOther(Says claim, std::int64_t n) const {
    auto mask = maskFor(program_, resized(length_, n), traced_);
    if (!mask || mask->dim() < 2) return "could not be computed";
    bool fits = mask->size(-1) == n && mask->size(-2) == n;
    bool shorter = mask->size(-1) > 1 && mask->size(-1) < n;  // then the module takes no such length
    return shorter || ((fits || claim == Says::Everything) && agrees(*mask, claim)) ? "" : "is another mask";
  }

  // One of the sizes alone is another: keys of another length than the queries, or another batch.
  std::string whyOtherAlone(Says claim) const {
    std::set<std::int64_t> lengths(std::begin(kBesideAlone), std::end(kBesideAlone));
    lengths.insert(length_);
    for (auto* v : program_.sizes) {
      std::set<std::int64_t> others(std::begin(kAlone), std::end(kAlone));
      others.insert(sizes_.at(v) + 1);
      for (auto n : lengths)
        for (auto other : others) {
          auto sizes = resized(length_, n);
          sizes.at(v) = other;
          auto mask = maskFor(program_, sizes, traced_);
          if (mask && !agrees(*mask, claim))
            return "is another mask where one size alone is " + std::to_string(other) +
                   ", beside a length of " + std::to_string(n);
        }
    }
    return "";
  }

  const MaskProgram& program_;
  SizeValues sizes_;
  std::int64_t length_, reach_;
  const TracedValues& traced_;
};

std::optional<SizeValues> seenSizes(const MaskProgram& program, const TracedValues& traced) {
  SizeValues out;
  for (auto* v : program.sizes) {
    auto* t = traced.find(v);
    if (!t || !t->scalar.is_number_integer()) return std::nullopt;
    out[v] = t->scalar.get<std::int64_t>();
  }
  return out;
}

Judged judgeMask(const MaskProgram& program, std::int64_t length, const TracedValues& traced) {
  if (!program.whyNot.empty()) return {Says::Other, program.whyNot};
  auto seen = seenSizes(program, traced);
  if (!seen)
    return {Says::Other,
            "starts from sizes that are not known, because the module was not run to this point"};
  auto reach = reachOf(program, dtypesOf(program, *seen, traced));
  if (!reach.whyNot.empty()) return {Says::Other, reach.whyNot};
  return Judge(program, *seen, length, reach.longest, traced).judge();
}

// The same call without the mask.
MadeRewrite withoutMask(Node* n, const MaskProgram& program, const Judged& judged) {
  const bool causal = judged.says == Says::Causal;
  MadeRewrite made;
  std::vector<Value*> parameters;
  made.roots = {n};
  made.makers = {program.nodes, program.tables};
  made.pattern = patternOf(made.roots, {n->output()}, parameters);
  auto graph = made.pattern->graph->copy();
  Node* call = graph->outputs()[0]->node();
  call->replaceInput(kMask, constantOf(*graph, c10::IValue()));
  call->replaceInput(kIsCausal, constantOf(*graph, causal));
  ReplacementInfo info{
      1, Exactness::Reassociates,
      judged.adds ? "scores that outweigh the number by which the mask hides: what they let through becomes 0"
                  : "",
      causal ? "is_causal in place of the mask" : "attention without the mask"};
  made.replacement = std::make_shared<Replacement>(Replacement{graph, info, 1});
  return made;
}

bool hasNoMask(Node* n, const TracedValues& traced) {
  auto* t = traced.find(n->input(kMask));
  return isNone(n->input(kMask)) || (t && t->kind == "none");
}

// "" where the call is one that the rule is about.
std::string whyNotThis(Node* n, const TracedValues& traced) {
  auto dropped = jit::toIValue(n->input(kDropped)), causal = jit::toIValue(n->input(kIsCausal));
  if (!dropped || !dropped->isDouble() || dropped->toDouble() != 0) return "drops probabilities";
  if (!causal || !causal->isBool() || causal->toBool()) return "is asked to be causal as well";
  auto *q = traced.find(n->input(kQuery)), *k = traced.find(n->input(kKey)),
       *m = traced.find(n->input(kMask));
  if (!q || !k || !m) return "has operands of unknown shapes, because the module was not run to this point";
  if (m->dtype != at::kBool && m->dtype != q->dtype) return "has a mask of another dtype than its queries";
  if (q->shape.size() < 3 || k->shape.size() != q->shape.size()) return "has fewer than three dimensions";
  return "";
}

std::int64_t lengthOf(Value* v, const TracedValues& traced) {
  auto& shape = traced.find(v)->shape;
  return shape[shape.size() - 2];
}

const char* messageFor(Says says) {
  return says == Says::Causal
             ? "only shapes decide this mask, and it is the causal one: is_causal=True says so without a "
               "mask, and the kernel then skips what it hides"
             : "only shapes decide this mask, and it hides nothing: attention without it is the same";
}

}  // namespace

CodedResult findMasksFromShapes(const RulePage&, const Analysis& analysis) {
  GraphFacts facts(analysis);
  CodedResult out;
  std::map<std::pair<const Value*, std::int64_t>, std::pair<MaskProgram, Judged>>
      known;  // layers share masks
  bool any = false;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (n->kind() != aten::scaled_dot_product_attention || n->inputs().size() != kInputs ||
        hasNoMask(n, analysis.traced))
      return;
    any = true;
    if (auto why = whyNotThis(n, analysis.traced); !why.empty())
      return out.refused.push_back({n, {"the call", why}});
    auto length = lengthOf(n->input(kQuery), analysis.traced);
    auto [entry, fresh] = known.try_emplace({n->input(kMask), length});
    auto& [program, judged] = entry->second;
    if (fresh) {
      program = maskProgramOf(n->input(kMask), facts);
      judged = judgeMask(program, length, analysis.traced);
    }
    if (judged.says == Says::Other) return out.refused.push_back({n, {"the mask", judged.why}});
    if (judged.says == Says::Causal && length != lengthOf(n->input(kKey), analysis.traced))
      return out.refused.push_back({n, {"the call", "has other lengths of queries and keys"}});
    CodedFinding f;
    f.node = n;
    f.message = messageFor(judged.says);
    f.rewrite = withoutMask(n, program, judged);
    out.findings.push_back(std::move(f));
  });
  if (!any) out.whyNothing = "the module has no scaled_dot_product_attention under a mask";
  return out;
}

}  // namespace kadvise::graph
