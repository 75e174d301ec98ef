#include "profiler/expected.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>

#include "profiler/contract.h"
#include "profiler/failure.h"
#include "profiler/float64_reference.h"
#include "profiler/observed_run.h"
#include "profiler/output_judge.h"

namespace kadvise {
namespace {

using c10::IValue;

std::string looseStructureOf(const IValue& value) {
  std::string out = structureOf(value);
  std::replace(out.begin(), out.end(), '[', '(');
  std::replace(out.begin(), out.end(), ']', ')');
  return out;
}

std::string fileHolds(const std::string& at, const std::string& what, const std::string& module,
                      const std::string& file) {
  return at + ": the module has " + what + " " + module + ", the file holds " + file;
}

OutputJudge judgeAgainst(const char* name, Float64Reference& reference) {
  return OutputJudge([&](const Case& of) { return reference.outputOf(of); },
                     {.domain = {}, .original = name});
}

// What of the module's behaviour no file can hold, and so was not compared.
std::string unseenIn(const Run& run, const Values& batch, const torch::jit::Module& module) {
  std::string out = sharingNote(run);
  auto add = [&](const std::string& clause) { out += (out.empty() ? "" : "; ") + clause; };
  if (auto owned = ownedOutput(run.output, module)) add(*owned);
  auto was = leavesOf(batch, "input"), is = leavesOf(run.inputs, "input");
  for (std::size_t i = 0; i < was.size() && i < is.size(); ++i)
    if (!sameBits(was[i].value, is[i].value)) add("the module writes into " + was[i].at);
  return out.empty() ? "" : "not compared, since a file cannot show it: " + out;
}

// Neither is the original: each is held against the other. Answers why they differ; the judge is that of the
// direction that decided.
std::optional<std::string> differenceOf(const Case& c, const Run& saved, const Run& given,
                                        Float64Reference& reference, OutputJudge& outputs) {
  outputs = judgeAgainst("the file", reference);
  if (auto difference = outputs.judge(c, saved, given))
    return "the module, held against the file: " + *difference;
  OutputJudge turned = judgeAgainst("the module", reference);
  auto difference = turned.judge(c, given, saved);
  if (!difference) return std::nullopt;
  outputs = turned;
  return "the file, held against the module: " + *difference;
}

// Why the two cannot be compared number by number; nullopt where they can.
std::optional<std::string> formDifference(const Run& saved, const Run& given) {
  std::string is = looseStructureOf(given.output), was = looseStructureOf(saved.output);
  if (is != was) return "the module returns " + is + ", the file holds " + was;
  return leafBreach(leavesOf(saved.output, "output"), leavesOf(given.output, "output"), {}, fileHolds);
}

void addNote(Equivalence& to, const std::string& note) {
  to.reason += (to.reason.empty() || note.empty() ? "" : "; ") + note;
}

// No difference was found: whether that says anything, and what was not seen.
void judgeAgreement(Equivalence& out, const OutputJudge& outputs, const std::string& unseen) {
  bool isNothingJudged = outputs.countedCases() == 0 && outputs.grade() != Grade::Bitwise;
  out.outcome = isNothingJudged || !outputs.undecided().empty() ? Outcome::Failed : Outcome::Same;
  if (isNothingJudged) return addNote(out, "no output could be judged: " + outputs.degenerate());
  if (out.outcome == Outcome::Failed) return addNote(out, outputs.undecided());
  if (!outputs.degenerate().empty()) addNote(out, "says nothing: " + outputs.degenerate());
  addNote(out, outputs.notes());
  addNote(out, unseen);
}

}  // namespace

Equivalence judgeExpected(torch::jit::Module& module, const IValue& expected, const Values& batch,
                          std::function<torch::jit::Module()> load, const Device& device,
                          std::uint64_t seed) {
  c10::InferenceMode inference;
  Equivalence out;
  Case c{"inputs", cloneOf(batch)};
  Run saved{{}, expected}, given;
  try {
    ObservedRun observed = observedRun(module, cloneOf(batch), device, seed + 1);
    given = std::move(observed.run);
    if (observed.drawsNumbers) load = nullptr;  // in float64 it would draw others
  } catch (const std::exception& e) {
    out.reason = "the module fails: " + reasonOf(e);
    return out;
  }
  out.outcome = Outcome::WrongOutput;
  out.accuracy.grade = word(Grade::Different);
  if (auto difference = formDifference(saved, given)) {
    out.reason = *difference;
    return out;
  }
  Float64Reference reference(std::move(load), device, seed + 1);
  OutputJudge outputs = judgeAgainst("the file", reference);
  auto difference = differenceOf(c, saved, given, reference, outputs);
  out.accuracy = outputs.accuracy();
  out.caseErrors = outputs.cases();
  out.accuracy.grade = word(difference ? Grade::Different : outputs.grade());
  out.reason = difference.value_or("");
  if (!difference) judgeAgreement(out, outputs, unseenIn(given, batch, module));
  addNote(out, reference.note());
  return out;
}

}  // namespace kadvise
