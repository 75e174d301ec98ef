#include "profiler/output_judge.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "profiler/case_choice.h"
#include "profiler/error_words.h"
#include "profiler/failure.h"
#include "profiler/wrong_original.h"

namespace kadvise {
namespace {

using at::Tensor;
using c10::IValue;

constexpr double kApproximation = 0.05;  // of the output's scale
constexpr double kNothing = 0.01;        // of the inputs' largest number
constexpr const char* kInTf32Words =
    " is as exact as with the original's convolutions in TF32, which PyTorch allows by default "
    "(torch.backends.cudnn.allow_tf32) and cuDNN did not take there";

// A leaf that is compared by accuracy; a Python float is what one float32 number gave.
std::optional<Tensor> floating(const IValue& v) {
  if (v.isDouble()) return at::scalar_tensor(v.toDouble(), at::kFloat);
  if (!v.isTensor() || !v.toTensor().defined()) return std::nullopt;
  const Tensor& t = v.toTensor();
  if (t.is_floating_point() || t.is_complex()) return t.layout() == c10::kStrided ? t : t.to_dense();
  return std::nullopt;
}

// On such a case a candidate that does nothing at all looks right.
std::optional<std::string> inputThatEquals(const Tensor& output, const Values& inputs) {
  for (const Leaf& leaf : leavesOf(inputs, "input"))
    if (leaf.value.isTensor() && leaf.value.toTensor().defined() && sameBits(leaf.value.toTensor(), output))
      return leaf.at;
  return std::nullopt;
}

// Why this output says nothing; "" when it says something.
std::string whyDegenerate(const Tensor& x, const Values& inputs) {
  if (x.numel() == 0) return "";
  if (!x.isfinite().any().item<bool>()) return "no finite output";
  if (barelyVaries(x, x.scalar_type())) return "output barely varies";
  auto input = inputThatEquals(x, inputs);
  return input ? "output equals " + *input : "";
}

// Where the truth is zero throughout (rows of one element less their mean) the output has no scale to count
// roundings in: next to the inputs it has to be nothing.
bool isNothing(const Tensor& y, const Tensor& y64, const Values& inputs) {
  if (y.is_complex() || y.numel() == 0 || y64.ne(0).any().item<bool>()) return false;
  double largest = 0;
  for (const Leaf& leaf : leavesOf(inputs, "input"))
    if (auto t = floating(leaf.value); t && !t->is_complex() && t->numel() > 0)
      largest = std::max(largest, at::nan_to_num(*t, 0, 0, 0).abs().max().item<double>());
  return y.abs().max().item<double>() <= kNothing * largest;
}

// Why a difference in this output is not judged, if so.
std::optional<std::string> whyUnjudged(const Tensor& x, const Tensor& y, const Tensor& y64,
                                       const Values& inputs, const std::string& original) {
  if (!y64.defined()) return std::nullopt;
  if (isWrongItself(x, y64)) return original + " itself is wrong there";
  return isNothing(y, y64, inputs) ? std::optional<std::string>("the output is zero") : std::nullopt;
}

bool differInZerosOnly(const Tensor& x, const Tensor& y) {
  return !x.is_complex() && x.eq(y).all().item<bool>();
}

}  // namespace

std::optional<std::string> OutputJudge::judge(const Case& c, const Run& original, const Run& candidate,
                                              const UnstableLeaves& unstable, const std::string& state) try {
  auto a = leavesOf(original.output, "output"), b = leavesOf(candidate.output, "output");
  std::optional<std::vector<Leaf>> truth;  // made when the first output is not bitwise equal
  bool counts = a.empty();
  std::string why;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto x = floating(a[i].value), y = floating(b[i].value);
    Record& record = records_[a[i].at + state];
    if (auto found = unstable.find(i); found != unstable.end()) {
      record.decidedByRounding = std::max(record.decidedByRounding, found->second);
      why = "rounding decides the whole numbers of " + a[i].at;
      continue;
    }
    if (!x) {
      counts = true;  // compared bit by bit by the contract
      continue;
    }
    auto degenerate = whyDegenerate(*x, c.inputs);
    if (!sameBits(*x, *y)) {
      if (differInZerosOnly(*x, *y) && zeroNote_.empty())
        zeroNote_ = "zeros of " + a[i].at + " differ in sign (case " + c.name + ")";
      if (!truth) truth = truth_ ? truth_(c) : std::vector<Leaf>();
      Tensor y64 = truthOf(*truth, i, *x);
      if (y64.defined() && isWrongItself(*x, y64) && isAsTheOriginal(*x, *y)) y64 = Tensor();
      if (auto unjudged = whyUnjudged(*x, *y, y64, c.inputs, allowed_.original)) {
        degenerate = record.unjudged = *unjudged;
        std::string doubt = ", case " + c.name + ": " + allowed_.original + " itself is wrong there, ";
        if (isWrongItself(*x, y64) && isWorse(*x, *y, y64))
          record.doubt = doubt + "and the other is further off";
        else if (isWrongItself(*x, y64) && !state.empty() && mayBothBeWrong(*x, *y, y64))
          record.doubt = doubt + "or the other and the float64 reference both are";
        record.isOpenInOwn |= c.name == kOwnInputs && isWrongItself(*x, y64);
      } else if (auto reason = judgeTensor(c, a[i], i, *x, *y, y64)) return reason;
      else record.isJudgedApart = true;
    }
    if (degenerate.empty()) counts = record.judged = true;
    else why = degenerate;
  }
  if (counts) ++counted_;
  else degenerate_[why].push_back(c.name);
  if (counts) table_.addEqual(c);
  else table_.addUnjudged(c, why);
  return std::nullopt;
} catch (const NoMemory& e) {  // for the truth: against the original alone it would be a stricter question
  leaveOut(c, e.what());
  return std::nullopt;
}

void OutputJudge::leaveOut(const Case& c, const std::string& why) {
  degenerate_[why].push_back(c.name);
  table_.addUnjudged(c, why);
}

Tensor OutputJudge::truthOf(const std::vector<Leaf>& truth, std::size_t i, const Tensor& original) {
  if (i >= truth.size()) return {};
  auto t = floating(truth[i].value);
  if (!t) return {};
  // What the truth would be in the output's own shape, or it is no truth for this output.
  if (t->sizes() != original.sizes() || t->is_complex() != original.is_complex()) {
    shapeNote_ =
        "the float64 reference has another shape, so it is compared with " + allowed_.original + " alone";
    return {};
  }
  return original.is_complex() ? at::view_as_real(t->resolve_conj()).to(at::kDouble) : t->to(at::kDouble);
}

std::optional<std::string> OutputJudge::judgeTensor(const Case& c, const Leaf& leaf, std::size_t place,
                                                    const Tensor& x, const Tensor& y, Tensor y64) {
  const std::string& at = leaf.at;
  auto reason = [&](const std::string& what) { return at + ", case " + c.name + ": " + what; };
  if (auto breach = specialsBreach(x, y, y64, allowed_.domain)) return reason(*breach);
  Reference reference = y64.defined() ? Reference::Fp64 : Reference::OriginalOnly;
  if (!y64.defined()) y64 = (x.is_complex() ? at::view_as_real(x.resolve_conj()) : x).to(at::kDouble);
  Tensor finite = x.is_complex() ? Tensor() : x.isfinite();
  Errors originals = reference == Reference::Fp64 ? errorsAgainst(x, y64) : Errors{};
  // Where the original is not finite and the candidate is, the candidate is still held to the truth, unless
  // the difference is declared: the float64 of an original that underflows is close to its own limits there.
  bool declared = allowed_.domain.nan || allowed_.domain.infinity;
  Errors candidates = errorsAgainst(y, y64, reference == Reference::Fp64 && !declared ? Tensor() : finite);
  Bounds bounds = boundsFor(x.scalar_type(), reference);
  Grade grade = gradeOf(x, y, originals, candidates, bounds, reference);
  if (grade == Grade::Different && reference == Reference::Fp64 && original_.longestSum) {
    bounds = withSums(bounds, x.scalar_type(), original_.longestSum(c));
    grade = gradeOf(x, y, originals, candidates, bounds, reference);
  }
  if (grade == Grade::Different && reference == Reference::Fp64 && !allowed_.approximates) {
    auto isWithin = [&](const Errors& own) { return within(bounds, candidates, own, x.scalar_type()); };
    auto isNear = [&](const Errors& own) { return isNearTo(bounds, candidates, own); };
    auto errorsOf = [&](const Draw& draw) -> std::optional<Errors> {
      auto drawn = place < draw.output.size() ? floating(draw.output[place].value) : std::nullopt;
      Tensor truth = drawn ? truthOf(draw.truth, place, *drawn) : Tensor();
      return truth.defined() ? std::optional(errorsAgainst(*drawn, truth)) : std::nullopt;
    };
    auto inTf32 = [&]() -> std::optional<Errors> {
      auto output = original_.inTf32 ? original_.inTf32(c) : std::nullopt;
      auto drawn = output && place < output->size() ? floating((*output)[place].value) : std::nullopt;
      return drawn && drawn->sizes() == x.sizes() ? std::optional(errorsAgainst(*drawn, y64)) : std::nullopt;
    };
    auto drawn = overOtherDraws({original_.redraw, errorsOf, isWithin, isNear, inTf32}, c, originals);
    originals = drawn.errors;
    if (isWithin(originals)) grade = Grade::WithinBound;
    if (isWithin(originals) && drawn.isInTf32) tf32Note_ = at + kInTf32Words;
  }
  note(c, at, grade, mostHere(bounds, candidates, originals, x.scalar_type()), candidates);
  if (grade != Grade::Different) return std::nullopt;
  if (allowed_.approximates) return judgeApproximation(c, at, x, candidates);
  bool mayOutliveNaN =
      reference == Reference::Fp64 && !declared && finite.defined() && !finite.all().item<bool>();
  if (mayOutliveNaN && within(bounds, errorsAgainst(y, y64, finite), originals, x.scalar_type()))
    return reason("it gives numbers where " + allowed_.original +
                  " is NaN or infinite, and they are not right either");
  return reason(beyondText(beyondOf(bounds, candidates, originals, x.scalar_type()), candidates,
                           reference == Reference::Fp64 ? &originals : nullptr, allowed_.original));
}

std::optional<std::string> OutputJudge::judgeApproximation(const Case& c, const std::string& at,
                                                           const Tensor& x, const Errors& e) {
  double relative = e.rmsUlp * epsOf(x.scalar_type());
  if (relative > kApproximation || std::abs(e.scale - 1) > kApproximation)
    return at + ", case " + c.name + ": " + errorText(e, nullptr, allowed_.original) +
           ", more than an approximation may have";
  grade_ = std::max(grade_, Grade::WithinBound);
  approximation_ = std::max(approximation_, relative);
  return std::nullopt;
}

MostErrors OutputJudge::mostHere(const Bounds& bounds, const Errors& candidate, const Errors& original,
                                 c10::ScalarType type) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (allowed_.approximates) return {kApproximation / epsOf(c10::toRealValueType(type)), kNone, kNone};
  return mostOf(bounds, candidate, original);
}

void OutputJudge::note(const Case& c, const std::string& at, Grade given, const MostErrors& most,
                       const Errors& candidate) {
  Grade grade = allowed_.approximates ? std::min(given, Grade::WithinBound) : given;
  grade_ = std::max(grade_, grade);
  double severity = shareOf(most, candidate);
  table_.add(c, at, grade, most, candidate);
  if (severity < severity_) return;
  severity_ = severity;
  accuracy_.rmsUlp = candidate.rmsUlp, accuracy_.p999Ulp = candidate.p999Ulp,
  accuracy_.maxUlp = candidate.maxUlp;
  accuracy_.bias = candidate.bias, accuracy_.scale = candidate.scale;
  accuracy_.worstCase = c.name;
  worstInputs_ = c.inputs;
}

std::string OutputJudge::degenerate() const {
  std::string out;
  for (const auto& [why, cases] : degenerate_)
    out += (out.empty() ? "" : "; ") + someOf(cases) + (why.empty() ? "" : " (" + why + ")");
  return out;
}

Grade OutputJudge::grade() const {
  Grade grade = grade_;
  for (const auto& [at, record] : records_) {
    bool unknown = record.decidedByRounding > 0 || !record.unjudged.empty();
    if (unknown) grade = std::max(grade, Grade::WithinBound);
  }
  return grade;
}

std::string OutputJudge::notes() const {
  std::string out = shapeNote_;
  auto add = [&](const std::string& more) { out += (out.empty() || more.empty() ? "" : "; ") + more; };
  if (approximation_ > 0) {
    char text[80];
    std::snprintf(text, sizeof text, "approximates: rms error %.2g%% of the output's scale",
                  100 * approximation_);
    add(text);
  }
  add(zeroNote_);
  add(tf32Note_);
  for (const auto& [at, record] : records_) {
    if (record.decidedByRounding > 0)
      add("whole numbers of " + at + " that rounding decides: differ in " +
          std::to_string(record.decidedByRounding) +
          " elements, as the original's own when its inputs and weights move by a rounding");
  }
  return out;
}

std::string OutputJudge::undecided() const {
  for (const auto& [at, record] : records_) {
    bool isOpen = !record.judged || (record.isOpenInOwn && !record.isJudgedApart);
    if (isOpen && !record.unjudged.empty())
      return at + " differs and is judged in no case" + (record.judged ? " in which it does: " : ": ") +
             record.unjudged;
    if (!record.doubt.empty()) return at + record.doubt;
  }
  return "";
}

}  // namespace kadvise
