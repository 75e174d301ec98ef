#include "profiler/equivalence.h"

#include <c10/core/InferenceMode.h>

#include <optional>

#include "analyzer/core/specialised.h"
#include "profiler/both_runs.h"
#include "profiler/case_arguments.h"
#include "profiler/case_choice.h"
#include "profiler/case_layouts.h"
#include "profiler/case_shapes.h"
#include "profiler/cases.h"
#include "profiler/contract.h"
#include "profiler/failure.h"
#include "profiler/float64_reference.h"
#include "profiler/instability.h"
#include "profiler/observed_run.h"
#include "profiler/original_runs.h"
#include "profiler/output_judge.h"
#include "profiler/residue.h"
#include "profiler/same_memory.h"
#include "profiler/unforeseen_writes.h"
#include "profiler/values.h"
#include "profiler/warm_up.h"
#include "profiler/worst_inputs.h"

namespace kadvise {
namespace {

using torch::jit::Module;
using Fill = Canary::Fill;

constexpr const char* kSameSeed =
    "the original draws random numbers, so it is compared with itself alone, under the same seed";

class Judge {
 public:
  Judge(Subjects& subjects, const Values& batch, const Device& device, const EquivalencePlan& plan,
        Pulse& pulse)
      : subjects_(subjects),
        batch_(batch),
        device_(device),
        plan_(plan),
        pulse_(pulse),
        reference_(subjects.reference, device, plan.seed + 1),
        outputs_(
            [this](const Case& c) {
              return drawsNumbers_ ? std::vector<Leaf>() : reference_.outputOf(c, stateOf(c.name));
            },
            {plan.domain.empty() ? DomainDifference{} : domainFrom(plan.domain), plan.approximates},
            originalRuns(subjects.before, reference_, device, plan.seed + 1,
                         [this](const Case& c) -> const Attributes& { return stateOf(c.name); })) {}

  Equivalence run() {
    startUs_ = steadyUs();
    if (settle() && judgeCases(plan_.breadth) &&
        // Where the batch's own questions say nothing (x -> relu(x) on positive numbers), others are asked.
        (outputs_.countedCases() > 0 || plan_.breadth != Breadth::AsGiven || judgeCases(Breadth::Wide)))
      conclude();
    result_.caseErrors = outputs_.cases();
    result_.saved = worst_.areKept();
    result_.reason = state_.named(result_.reason);
    result_.state = std::move(state_);
    return std::move(result_);
  }

 private:
  bool end(Outcome outcome, std::string reason) {
    result_.outcome = outcome;
    result_.reason = std::move(reason);
    if (outcome == Outcome::WrongOutput) result_.accuracy.grade = word(Grade::Different);
    return false;
  }

  // What a case has shown to be wrong: its inputs are the ones to keep, its figures those to tell, if any.
  bool endIn(const Case& c, Outcome outcome, std::string reason) {
    if (!wroteOnlyItsState(c)) return false;
    if (outputs_.accuracy().worstCase == c.name) result_.accuracy = outputs_.accuracy();
    result_.accuracy.worstCase = c.name;
    worst_.keep(c.inputs);
    return end(outcome, std::move(reason));
  }

  // False, and the end, where this case shows that one of the two does not.
  bool wroteOnlyItsState(const Case& c) {
    auto ending = writes_->ending(c.name, [&] { observe(subjects_.before, cloneOf(c.inputs), c.name); });
    if (!ending) return true;
    worst_.keep(c.inputs);
    return end(ending->outcome, ending->reason);
  }

  ObservedRun observe(Module& module, Values inputs, const std::string& name, Fill fill = Fill::Nan) {
    return observedRun(module, std::move(inputs), device_, plan_.seed + 1, fill, stateOf(name));
  }

  // What is judged and timed is the specialised code.
  bool settle() {
    pulse_.step("first runs of the original");
    Settled before = settleOriginal(subjects_.before, batch_, device_, state_);
    result_.beforeFirstCallMs = before.firstCallMs, result_.beforeFirstRunsMs = before.allMs;
    if (before.ending) return end(before.ending->outcome, before.ending->reason);
    stateChanges_ = !state_.changing().empty();
    state_.leaveOutUnwritten(subjects_.after);
    pulse_.step("first runs of " + plan_.candidate);
    Settled after = settleCandidate(subjects_.after, subjects_.before, batch_, device_, state_);
    result_.afterFirstCallMs = after.firstCallMs, result_.afterFirstRunsMs = after.allMs;
    writes_.emplace(subjects_.before, subjects_.after);
    return !after.ending || end(after.ending->outcome, after.ending->reason);
  }

  // What a call on the batch left behind is asked about, too: zeros hide much.
  const Attributes& stateOf(const std::string& name) const {
    return name == kOwnInputs ? state_.asLoaded : state_.afterACall;
  }

  bool judgeCases(Breadth breadth) {
    CaseChoice choice = casesToAsk(subjects_.before, batch_, plan_.breadth, breadth, device_);
    wholeNumbersKept_ = choice.areWholeNumbersKept;
    const auto& names = choice.names;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (isTooLate(choice, names[i], (steadyUs() - startUs_) / 1e6, plan_.budgetSeconds,
                    plan_.mostSeconds)) {
        ++unjudged_;
        continue;
      }
      pulse_.step("checking " + plan_.candidate + ", case " + names[i]);
      Case c = makeCase(names[i], batch_, device_, plan_.seed);
      // What the original refuses is no question; a process that ends in another leaves the inputs behind.
      bool mayBeRefused = changesShapes(names[i]) || changesArgument(names[i]);
      if (mayBeRefused) worst_.keep(c.inputs);
      // By a tool, from which a filling would hide what is unwritten.
      Fill fill = breadth == Breadth::Batch ? Fill::None : Fill::Nan;
      if (!judgeCase(c, i % 2 && !mayBeRefused ? First::Candidate : First::Original, fill)) return false;
      // Once more the other way round, over other leftovers, and in memory that it has seen.
      if (i == 0 && fill == Fill::Nan && !(judgeCase(c, First::Candidate, Fill::Large) && judgeSameMemory()))
        return false;
      if (!wroteOnlyItsState(c)) return false;
      ++judged_;
    }
    return true;
  }

  // False when the verdict is reached.
  bool judgeCase(const Case& c, First first, Fill fill) {
    auto [original, candidate, originalFails, candidateFails, lost] = runBoth(
        subjects_, c, first, device_,
        [&](Module& module, Values inputs) { return observe(module, std::move(inputs), c.name, fill); });
    if (!lost && (lacksMemory(originalFails) || lacksMemory(candidateFails))) {
      original.reset(), candidate.reset();
      if (auto verdict = judgeInLessMemory(c, first, fill)) return *verdict;
    }
    if (!lost && !original) {
      if (c.name == kOwnInputs || isLost(device_))
        return end(Outcome::Failed, "the original fails: " + originalFails);
      refused_.push_back(c.name);
      return true;
    }
    if (!candidate && changesArgument(c.name) && candidateFails.find(kSpecialisedTo) != std::string::npos) {
      outputs_.leaveOut(c, "the candidate was written for the value given, and says so");
      return true;
    }
    if (!candidate)
      return endIn(c, Outcome::Failed, "the candidate fails in case " + c.name + ": " + candidateFails);
    try {
      return judgeRuns(c, std::move(*original), std::move(*candidate));
    } catch (const std::exception& e) {
      if (isLost(device_) || !lacksMemory(reasonOf(e))) throw;
      original.reset(), candidate.reset();
      if (auto verdict = judgeInLessMemory(c, first, fill)) return *verdict;
      throw;
    }
  }

  // Without what the last calls left, or not at all; nullopt where the question must be asked.
  std::optional<bool> judgeInLessMemory(const Case& c, First first, Fill fill) {
    if (held_.giveUp(device_)) return judgeCase(c, first, fill);
    if (c.name == kOwnInputs) return std::nullopt;
    return outputs_.leaveOut(c, NoMemory().what()), true;
  }

  bool judgeRuns(const Case& c, ObservedRun original, ObservedRun candidate) {
    if (auto stray = strayWrite(original, candidate, c.name)) return endIn(c, Outcome::WrongOutput, *stray);
    UnstableLeaves unstable;
    // In other layouts and sizes contiguous() and reshape() may find nothing to do.
    const LeafPlaces own = changesLayout(c.name) || changesShapes(c.name) ? ownInRun_ : LeafPlaces();
    if (auto breach = breachOf(original.run, candidate.run, {}, own)) {
      auto output = [&](Module& module, Values inputs) {
        return observe(module, std::move(inputs), c.name).run.output;
      };
      auto reseed = [&](int n) { seedAll(device_, plan_.seed + 2 + static_cast<std::uint64_t>(n)); };
      unstable =
          leavesThatRoundingDecides(original.run, candidate.run, subjects_.before, c.inputs, output, reseed);
      LeafPlaces excused;
      for (const auto& [place, elements] : unstable) excused.insert(place);
      if (auto still = breachOf(original.run, candidate.run, excused, own))
        return endIn(c, Outcome::WrongOutput, *still + " (case " + c.name + ")");
    }
    if (!owned_.has_value()) owned_ = ownedOutput(original.run.output, subjects_.before).has_value();
    if (auto breach = ownedOutput(candidate.run.output, subjects_.after); breach && !*owned_)
      return endIn(c, Outcome::WrongOutput, *breach + ", a parameter or buffer of the candidate");
    drawsNumbers_ |= original.drawsNumbers;
    if (c.name == kOwnInputs)
      strides_ = stridesNote(original.run.output, candidate.run.output), ownInRun_ = ownLeaves(original.run);
    original.run.inputs.clear(), candidate.run.inputs.clear();  // memory that judging large outputs needs
    std::string later = !stateChanges_ || c.name == kOwnInputs ? "" : " after another call";
    const auto reason = outputs_.judge(c, original.run, candidate.run, unstable, later);
    if (reason) return endIn(c, Outcome::WrongOutput, *reason);
    if (c.name == kOwnInputs) repeated_.add(candidate.run.output);
    return checkHeld(c, original.run, candidate.run);
  }

  bool checkHeld(const Case& c, const Run& original, const Run& candidate) {
    if (held_.areOverwritten())
      return endIn(c, Outcome::WrongOutput, "the next call overwrites the outputs of the last one");
    return held_.hold(original.output, candidate.output), true;
  }

  // A result that is remembered by its inputs' address, or by a part of them, is that of the old values.
  bool judgeSameMemory() {
    SameMemory memory(batch_);
    Case touched{"touched", memory.touched()};
    std::optional<ObservedRun> first, original;
    try {
      first = observe(subjects_.after, memory.values(), touched.name);
      original = observe(subjects_.before, cloneOf(touched.inputs), touched.name);
      memory.write(touched.inputs);
      return judgeRuns(touched, std::move(*original),
                       observe(subjects_.after, memory.values(), touched.name));
    } catch (const std::exception& e) {
      if (isLost(device_)) throw;
      if (lacksMemory(reasonOf(e))) {
        held_.giveUp(device_);
        return outputs_.leaveOut(touched, NoMemory().what()), true;
      }
      if (first && !original) return true;  // which refuses them: offsets that are no longer in order, say
      return endIn(touched, Outcome::Failed, "the candidate fails in case touched: " + reasonOf(e));
    }
  }

  void conclude() {
    worst_.keepInstead(outputs_.worstInputs());  // of those that the last case has left
    const std::string degenerate = outputs_.degenerate();
    if (outputs_.countedCases() == 0 && outputs_.grade() != Grade::Bitwise)
      return void(end(Outcome::Failed, "no case could judge the outputs: " + degenerate));
    if (auto why = outputs_.undecided(); !why.empty()) return void(end(Outcome::Failed, why));
    std::string& reason = result_.reason;
    auto note = [&](const std::string& n) { reason += (reason.empty() || n.empty() ? "" : "; ") + n; };
    if (unjudged_)
      note(std::to_string(judged_) + " of " + std::to_string(judged_ + unjudged_) +
           " cases within the budget");
    if (!degenerate.empty()) note("cases that say nothing: " + degenerate);
    note(refusedWords(refused_));
    if (wholeNumbersKept_) note("whole numbers among the inputs are as given: indices may depend on them");
    note(state_.note());
    note(reference_.note());
    if (drawsNumbers_) note(kSameSeed);
    note(outputs_.notes());
    note(repeated_.note());
    if (!plan_.domain.empty()) note("declared: " + plan_.domain);
    note(strides_);
    result_.outcome = Outcome::Same;
    result_.accuracy = outputs_.accuracy();
    result_.accuracy.grade = word(outputs_.grade());
    result_.cases = judged_, result_.casesLeftOut = unjudged_;
  }

  Subjects& subjects_;
  const Values& batch_;
  const Device& device_;
  const EquivalencePlan& plan_;
  Pulse& pulse_;
  double startUs_ = 0;
  Equivalence result_;
  OwnState state_;
  bool stateChanges_ = false;  // a call leaves another state than it found
  std::optional<UnforeseenWrites> writes_;
  WorstInputs worst_{plan_.worstInputs};
  Float64Reference reference_;
  OutputJudge outputs_;
  HeldOutputs held_;
  RepeatedRun repeated_;  // of the candidate on the batch
  LeafPlaces ownInRun_;
  std::optional<bool> owned_;  // the original's outputs live in its own parameters, too
  std::string strides_;
  bool wholeNumbersKept_ = false, drawsNumbers_ = false;
  int judged_ = 0, unjudged_ = 0;
  std::vector<std::string> refused_;  // cases on which the original itself fails
};

}  // namespace

Equivalence judgeEquivalence(Subjects& subjects, const Values& batch, const Device& device,
                             const EquivalencePlan& plan, Pulse& pulse) {
  c10::InferenceMode inference;
  return Judge(subjects, batch, device, plan, pulse).run();
}

}  // namespace kadvise
