// A module against another one, which is timed too when it is equal, or against an output that was saved.
// Nothing is matched or replaced.
#include <system_error>

#include "analyzer/campaign.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/sanitizer.h"
#include "reports/ranking.h"
#include "reports/text.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kUndecided = "undecided";
constexpr const char* kWorstInputs = "worst-inputs.pt";
constexpr const char* kOwnInputs = "inputs";  // the case of the batch that was given

std::string replayCommand(const ReportSubject& subject, const Opponent& opponent, const fs::path& inputs) {
  return "kadvise verify " + shellQuoted(subject.path) + " " + shellQuoted(opponent.module.string()) +
         " --inputs " + shellQuoted(inputs.string());
}

std::string outputsWord(const Verdict& v) {
  if (outputsEqual(v)) return "equal";
  return v.outcome == Outcome::WrongOutput ? "differ" : kUndecided;
}

std::string absoluteOrNone(const fs::path& path) { return path.empty() ? "" : fs::absolute(path).string(); }

// Puts those of this run in place of an earlier run's, which may have been the inputs of this one. A run that
// decides nothing and has none leaves the earlier ones alone. Answers whether there are any of this run.
bool keepWorstInputs(const fs::path& found, const fs::path& kept, Report& report) {
  std::error_code ec;
  if (kept.empty()) return false;
  bool isFound = fs::exists(found, ec);
  if (isFound || report.pair->outputs != kUndecided) fs::remove(kept, ec);
  if (!isFound) return false;
  try {
    copyFile(found, kept);
    return true;
  } catch (const Error& e) {
    report.notes.push_back("the inputs that differ most are not kept: " + std::string(e.what()));
    return false;
  }
}

}  // namespace

Verdict Campaign::compareOpponent(const Opponent& opponent) {
  bool isModule = !opponent.module.empty();
  return compareAndConfirm(kWholeVerdict,
                           isModule ? "comparing the two modules" : "comparing with the saved output",
                           {{"before", moduleAt("")},
                            {"after", moduleAt(isModule ? absoluteOrNone(opponent.module) : "")},
                            {"reference", moduleAt(baseFp64_)},
                            {"inputs", ""},
                            {"timing", report_.pair->isTimed},
                            {"budgetSeconds", options_.budgetSeconds},
                            {"exactness", word(Exactness::Exact)},
                            {"breadth", "wide"},
                            {"worstInputs", isModule ? (work_.path() / kWorstInputs).string() : ""},
                            {"expected", absoluteOrNone(opponent.expected)}});
}

Report Campaign::verify(const Opponent& opponent) {
  bool isModule = !opponent.module.empty();
  bool isTimed = isModule && opponent.isTimed && opponent.sanitizer.empty();
  fs::path sanitizer = opponent.sanitizer.empty() ? "" : findSanitizer();
  report_.pair = PairCheck{.kind = isModule ? "module" : "expected",
                           .against = (isModule ? opponent.module : opponent.expected).string(),
                           .worstInputs = "",
                           .replay = "",
                           .outputs = kUndecided,
                           .isTimed = isTimed,
                           .sanitizer = {}};
  report_.whole.reason = "not compared";
  if (!open(Behind::Measure) || !hasInputs_) return std::move(report_);
  phase("whole");
  if (opponent.sanitizer.empty()) report_.whole = compareOpponent(opponent);
  else if (report_.device.kind == "cuda") report_.whole = compareSanitized(opponent, sanitizer);
  else
    stop("--sanitize",
         "watches the kernels of a GPU, and this run is on the CPU; run it on a machine with "
         "an NVIDIA GPU, without --device cpu");
  phase("");
  caseErrors_.tell(report_);
  report_.pair->outputs = outputsWord(report_.whole);
  if (isModule && keepWorstInputs(work_.path() / kWorstInputs, opponent.worstInputs, report_)) {
    report_.pair->worstInputs = opponent.worstInputs.string();
    // The user has these inputs: this run was theirs.
    if (report_.whole.accuracy.worstCase != kOwnInputs)
      report_.pair->replay = replayCommand(report_.subject, opponent, opponent.worstInputs);
  }
  return std::move(report_);
}

}  // namespace kadvise
