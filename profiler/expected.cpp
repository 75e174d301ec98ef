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

}  // namespace

Equivalence judgeExpected(torch::jit::Module& module, const IValue& expected, const Values& batch,
                          std::function<torch::jit::Module()> load, const Device& device,
                          std::uint64_t seed) {
  c10::InferenceMode inference;
  Equivalence out;
  Case c{"inputs", cloneOf(batch)};
  Run saved{{}, expected}, given;
  try {
    given.output = observedRun(module, cloneOf(batch), device, seed + 1).run.output;
  } catch (const std::exception& e) {
    out.reason = "the module fails: " + reasonOf(e);
    return out;
  }
  out.outcome = Outcome::WrongOutput;
  out.accuracy.grade = word(Grade::Different);
  std::string is = looseStructureOf(given.output), was = looseStructureOf(expected);
  if (is != was) {
    out.reason = "the module returns " + is + ", the file holds " + was;
    return out;
  }
  if (auto breach =
          leafBreach(leavesOf(saved.output, "output"), leavesOf(given.output, "output"), {}, fileHolds)) {
    out.reason = *breach;
    return out;
  }
  Float64Reference reference(std::move(load), device, seed + 1);
  OutputJudge outputs = judgeAgainst("the file", reference);
  auto difference = outputs.judge(c, saved, given);
  if (difference) difference = "the module, held against the file: " + *difference;
  else {
    OutputJudge turned = judgeAgainst("the module", reference);
    difference = turned.judge(c, given, saved);
    if (difference) {
      difference = "the file, held against the module: " + *difference;
      outputs = turned;
    }
  }
  out.accuracy = outputs.accuracy();
  out.accuracy.grade = word(difference ? Grade::Different : outputs.grade());
  if (!difference) out.outcome = Outcome::Same;
  out.reason = difference.value_or(
      outputs.degenerate().empty() ? "" : "says nothing: " + outputs.degenerate().front());
  if (!reference.note().empty()) out.reason += (out.reason.empty() ? "" : "; ") + reference.note();
  return out;
}

}  // namespace kadvise
