#include "profiler/equivalence.h"

#include <c10/core/InferenceMode.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "profiler/accuracy.h"
#include "profiler/cases.h"
#include "profiler/contract.h"
#include "profiler/failure.h"
#include "profiler/residue.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;
using c10::IValue;
using torch::jit::Module;
using Clock = std::chrono::steady_clock;

constexpr int kSettlingRuns = 2;  // the executor specialises in them; the first case is the third run
constexpr std::size_t kFewestCases = 3;
constexpr double kApproximation = 0.05;  // of the output's scale

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string ulpText(double ulp) {
  char text[32];
  std::snprintf(text, sizeof text, ulp < 10 ? "%.2g" : ulp < 1e6 ? "%.0f" : "%.3g", ulp);
  return text;
}

std::string errorText(const Errors& candidate, const Errors* original) {
  std::string out = "max error " + ulpText(candidate.maxUlp) + " ulp, rms " + ulpText(candidate.rmsUlp);
  if (original)
    out += " where the original has " + ulpText(original->maxUlp) + " and " + ulpText(original->rmsUlp);
  if (std::abs(candidate.scale - 1) > 0.01) {
    char text[48];
    std::snprintf(text, sizeof text, "; scaled by %.4g", candidate.scale);
    out += text;
  }
  return out;
}

// A leaf that is compared by accuracy; a Python float is what one float32 number gave.
std::optional<Tensor> floating(const IValue& v) {
  if (v.isDouble()) return at::scalar_tensor(v.toDouble(), at::kFloat);
  if (!v.isTensor() || !v.toTensor().defined()) return std::nullopt;
  const Tensor& t = v.toTensor();
  if (t.is_floating_point() || t.is_complex()) return t.layout() == c10::kStrided ? t : t.to_dense();
  return std::nullopt;
}

class Judge {
 public:
  Judge(Subjects& subjects, const Values& batch, const Device& device, const EquivalencePlan& plan,
        Pulse& pulse)
      : subjects_(subjects), batch_(batch), device_(device), plan_(plan), pulse_(pulse) {}

  Equivalence run() {
    if (!settleBoth()) return std::move(result_);
    auto start = Clock::now();
    auto names = caseNames(batch_);
    std::size_t judged = 0;
    for (; judged < names.size(); ++judged) {
      if (judged >= kFewestCases && secondsSince(start) > plan_.budgetSeconds) break;
      pulse_.step("checking " + plan_.candidate + ", case " + names[judged]);
      if (!judgeCase(makeCase(names[judged], batch_, device_, plan_.seed))) return std::move(result_);
    }
    return conclude(judged, names.size());
  }

 private:
  bool end(Outcome outcome, std::string reason) {
    result_.outcome = outcome;
    result_.reason = std::move(reason);
    if (outcome == Outcome::WrongOutput) result_.accuracy.grade = word(Grade::Different);
    return false;
  }

  Run runOnce(Module& module, Values inputs) {
    seedAll(device_, plan_.seed + 1);
    Run r;
    r.inputs = std::move(inputs);
    r.output = forward(module, r.inputs);
    synchronize(device_);
    return r;
  }

  // So that what is judged and timed is the specialised code. The first run is timed.
  bool settleBoth() {
    ModuleState beforeState(subjects_.before), afterState(subjects_.after);
    for (bool original : {true, false}) {
      Module& module = original ? subjects_.before : subjects_.after;
      pulse_.step(std::string("first runs of ") + (original ? "the original" : plan_.candidate));
      try {
        for (int i = 0; i < kSettlingRuns; ++i) {
          auto start = Clock::now();
          runOnce(module, cloneOf(batch_));
          if (i == 0)
            (original ? result_.beforeFirstCallMs : result_.afterFirstCallMs) = 1000 * secondsSince(start);
        }
      } catch (const std::exception& e) {
        return end(Outcome::Failed,
                   (original ? "the original fails: " : "the candidate fails: ") + reasonOf(e));
      }
    }
    for (auto& [module, was] :
         {std::pair{&subjects_.before, &beforeState}, std::pair{&subjects_.after, &afterState}})
      if (auto name = was->changedIn(ModuleState(*module)))
        return end(Outcome::NotRun, "the module changes its own " + *name +
                                        " when it runs; equality of such modules is not decided");
    return true;
  }

  // False when the verdict is reached.
  bool judgeCase(const Case& c) {
    Run original, candidate;
    try {
      original = runOnce(subjects_.before, cloneOf(c.inputs));
    } catch (const std::exception& e) {
      if (isLost(device_)) throw;
      if (c.name == "inputs") return end(Outcome::Failed, "the original fails: " + reasonOf(e));
      degenerate_.push_back(c.name + " (the original refuses it)");
      return true;
    }
    try {
      candidate = runOnce(subjects_.after, cloneOf(c.inputs));
    } catch (const std::exception& e) {
      return end(Outcome::Failed, "the candidate fails in case " + c.name + ": " + reasonOf(e));
    }
    if (auto breach = breachOf(original, candidate))
      return end(Outcome::WrongOutput, *breach + " (case " + c.name + ")");
    if (!owned_.has_value()) owned_ = ownedOutput(original.output, subjects_.before).has_value();
    if (auto breach = ownedOutput(candidate.output, subjects_.after); breach && !*owned_)
      return end(Outcome::WrongOutput, *breach + ", a parameter or buffer of the candidate");
    if (c.name == "inputs") strides_ = stridesNote(original.output, candidate.output);
    return judgeOutputs(c, original, candidate) && checkHeld(original, candidate);
  }

  bool checkHeld(const Run& original, const Run& candidate) {
    if (heldOriginal_ && heldCandidate_->overwritten() && !heldOriginal_->overwritten())
      return end(Outcome::WrongOutput, "the next call overwrites the outputs of the last one");
    heldOriginal_.emplace(original.output);
    heldCandidate_.emplace(candidate.output);
    return true;
  }

  bool judgeOutputs(const Case& c, const Run& original, const Run& candidate) {
    auto a = leavesOf(original.output, "output"), b = leavesOf(candidate.output, "output");
    std::optional<std::vector<Leaf>> truth;  // made when the first output is not bitwise equal
    bool counts = a.empty(), flat = false, broken = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      auto x = floating(a[i].value), y = floating(b[i].value);
      if (!x) {
        counts = true;  // compared bit by bit by the contract
        continue;
      }
      bool nonFinite = x->numel() > 0 && !x->isfinite().any().item<bool>();
      bool constant = !nonFinite && barelyVaries(*x, x->scalar_type());
      broken |= nonFinite, flat |= constant;
      counts |= !nonFinite && !constant;
      if (sameBits(*x, *y)) continue;
      if (!truth) truth = truthFor(c);
      Tensor y64 = truthOf(*truth, i, *x);
      if (!judgeTensor(c.name, a[i].at, *x, *y, y64)) return false;
    }
    if (!counts)
      degenerate_.push_back(c.name + (broken ? " (no finite output)"
                                      : flat ? " (output barely varies)"
                                             : ""));
    counted_ += counts;
    return true;
  }

  // The leaves of the reference's output; none when there is no reference or it does not run.
  std::vector<Leaf> truthFor(const Case& c) {
    if (!subjects_.reference) return {};
    try {
      if (!reference_) reference_ = subjects_.reference();
      Values inputs = mapTensors(
          cloneOf(c.inputs), [](const Tensor& t) { return t.is_floating_point() ? t.to(at::kDouble) : t; });
      return leavesOf(runOnce(*reference_, std::move(inputs)).output, "output");
    } catch (const std::exception& e) {
      if (isLost(device_)) throw;
      referenceNote_ = "the float64 reference does not run (" + reasonOf(e) + ")";
      if (!reference_ || c.name == "inputs") subjects_.reference = nullptr;
      return {};
    }
  }

  Tensor truthOf(const std::vector<Leaf>& truth, std::size_t i, const Tensor& original) {
    if (i >= truth.size()) return {};
    auto t = floating(truth[i].value);
    if (!t) return {};
    // What the truth would be in the output's own shape, or it is no truth for this output.
    if (t->sizes() != original.sizes() || t->is_complex() != original.is_complex()) {
      referenceNote_ = "the float64 reference has another shape";
      return {};
    }
    return original.is_complex() ? at::view_as_real(t->resolve_conj()).to(at::kDouble) : t->to(at::kDouble);
  }

  bool judgeTensor(const std::string& name, const std::string& at, const Tensor& x, const Tensor& y,
                   Tensor y64) {
    if (auto breach = specialsBreach(x, y, y64, !plan_.domain.empty()))
      return end(Outcome::WrongOutput, at + ", case " + name + ": " + *breach);
    Reference reference = y64.defined() ? Reference::Fp64 : Reference::OriginalOnly;
    if (!y64.defined()) y64 = (x.is_complex() ? at::view_as_real(x.resolve_conj()) : x).to(at::kDouble);
    Tensor finite = x.is_complex() ? Tensor() : x.isfinite();
    Errors originals = reference == Reference::Fp64 ? errorsAgainst(x, y64) : Errors{};
    // Where the original is not finite and the candidate is, the candidate is still held to the truth.
    Errors candidates = errorsAgainst(y, y64, reference == Reference::Fp64 ? Tensor() : finite);
    Bounds bounds = boundsFor(x.scalar_type(), reference);
    Grade grade = gradeOf(x, y, originals, candidates, bounds, reference);
    note(name, grade, bounds, candidates, originals);
    if (grade != Grade::Different) return true;
    const Errors* shown = reference == Reference::Fp64 ? &originals : nullptr;
    if (plan_.approximates) return judgeApproximation(name, at, x, candidates);
    return end(Outcome::WrongOutput, at + ", case " + name + ": " + errorText(candidates, shown));
  }

  bool judgeApproximation(const std::string& name, const std::string& at, const Tensor& x, const Errors& e) {
    double ulp = std::ldexp(1.0, x.scalar_type() == c10::kHalf       ? -10
                                 : x.scalar_type() == c10::kBFloat16 ? -7
                                 : x.scalar_type() == c10::kDouble   ? -52
                                                                     : -23);
    double relative = e.rmsUlp * ulp;
    if (relative > kApproximation || std::abs(e.scale - 1) > kApproximation)
      return end(Outcome::WrongOutput, at + ", case " + name + ": " + errorText(e, nullptr) +
                                           ", more than an approximation may have");
    worstGrade_ = Grade::WithinBound;
    approximation_ = std::max(approximation_, relative);
    return true;
  }

  void note(const std::string& name, Grade grade, const Bounds& b, const Errors& candidate,
            const Errors& original) {
    worstGrade_ = std::max(worstGrade_, plan_.approximates ? std::min(grade, Grade::WithinBound) : grade);
    double severity = std::max({candidate.rmsUlp / (b.rms * original.rmsUlp + b.floorRmsUlp),
                                candidate.p999Ulp / (b.p999 * original.p999Ulp + b.floorP999Ulp),
                                candidate.maxUlp / (b.max * original.maxUlp + b.floorMaxUlp)});
    if (severity < severity_) return;
    severity_ = severity;
    Accuracy& a = result_.accuracy;
    a.rmsUlp = candidate.rmsUlp, a.p999Ulp = candidate.p999Ulp, a.maxUlp = candidate.maxUlp;
    a.bias = candidate.bias, a.scale = candidate.scale;
    a.worstCase = name;
  }

  Equivalence conclude(std::size_t judged, std::size_t all) {
    std::vector<std::string> notes;
    std::string degenerate;
    for (const std::string& d : degenerate_) degenerate += (degenerate.empty() ? "" : ", ") + d;
    if (counted_ == 0 && worstGrade_ != Grade::Bitwise) {
      end(Outcome::Failed, "no case could judge the outputs: " + degenerate);
      return std::move(result_);
    }
    if (judged < all)
      notes.push_back(std::to_string(judged) + " of " + std::to_string(all) + " cases within the budget");
    if (!degenerate.empty()) notes.push_back("cases that say nothing: " + degenerate);
    if (!referenceNote_.empty())
      notes.push_back(referenceNote_ + ", so it is compared with the original alone");
    if (approximation_ > 0) {
      char text[80];
      std::snprintf(text, sizeof text, "approximates: rms error %.2g%% of the output's scale",
                    100 * approximation_);
      notes.push_back(text);
    }
    if (!plan_.domain.empty()) notes.push_back("declared: " + plan_.domain);
    if (!strides_.empty()) notes.push_back(strides_);
    result_.outcome = Outcome::Same;
    result_.accuracy.grade = word(worstGrade_);
    for (const std::string& n : notes) result_.reason += (result_.reason.empty() ? "" : "; ") + n;
    return std::move(result_);
  }

  Subjects& subjects_;
  const Values& batch_;
  const Device& device_;
  const EquivalencePlan& plan_;
  Pulse& pulse_;
  Equivalence result_;
  std::vector<std::string> degenerate_;
  std::optional<Module> reference_;
  std::optional<HeldOutput> heldOriginal_, heldCandidate_;
  std::optional<bool> owned_;  // the original's outputs live in its own parameters, too
  std::string strides_, referenceNote_;
  Grade worstGrade_ = Grade::Bitwise;
  double severity_ = 0, approximation_ = 0;
  std::size_t counted_ = 0;
};

}  // namespace

IValue forward(Module& module, const Values& inputs) { return module.forward(inputs); }

Equivalence judgeEquivalence(Subjects& subjects, const Values& batch, const Device& device,
                             const EquivalencePlan& plan, Pulse& pulse) {
  c10::InferenceMode inference;
  return Judge(subjects, batch, device, plan, pulse).run();
}

}  // namespace kadvise
