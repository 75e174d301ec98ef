// A module against another one, which is timed too when it is equal, or against an output that was saved.
// Nothing is matched or replaced.
#include <system_error>

#include "analyzer/campaign.h"
#include "analyzer/sanitizer.h"
#include "reports/ranking.h"
#include "reports/text.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kWhole = "whole";
constexpr const char* kOwnInputs = "inputs";  // the case of the batch that was given

std::string replayCommand(const ReportSubject& subject, const Opponent& opponent, const fs::path& inputs) {
  return "kadvise verify " + shellQuoted(subject.path) + " " + shellQuoted(opponent.module.string()) +
         " --inputs " + shellQuoted(inputs.string());
}

std::string outputsWord(const Verdict& v) {
  if (outputsEqual(v)) return "equal";
  return v.outcome == Outcome::WrongOutput ? "differ" : "undecided";
}

std::string absoluteOrNone(const fs::path& path) { return path.empty() ? "" : fs::absolute(path).string(); }

}  // namespace

Verdict Campaign::compareOpponent(const Opponent& opponent) {
  bool isModule = !opponent.module.empty();
  return compareAndConfirm(kWhole, isModule ? "comparing the two modules" : "comparing with the saved output",
                           {{"before", moduleAt("")},
                            {"after", moduleAt(isModule ? absoluteOrNone(opponent.module) : "")},
                            {"reference", moduleAt(baseFp64_)},
                            {"inputs", ""},
                            {"timing", report_.pair->isTimed},
                            {"budgetSeconds", options_.budgetSeconds},
                            {"exactness", word(Exactness::Exact)},
                            {"breadth", "wide"},
                            {"worstInputs", isModule ? absoluteOrNone(opponent.worstInputs) : ""},
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
                           .outputs = "undecided",
                           .isTimed = isTimed,
                           .sanitizer = {}};
  report_.whole.reason = "not compared";
  if (!open() || !hasInputs_) return std::move(report_);
  // Only now: they may be the inputs of this very run, which has read them.
  std::error_code ec;
  if (!opponent.worstInputs.empty()) fs::remove(opponent.worstInputs, ec);
  phase("whole");
  if (opponent.sanitizer.empty()) report_.whole = compareOpponent(opponent);
  else if (report_.device.kind == "cuda") report_.whole = compareSanitized(opponent, sanitizer);
  else
    stop("--sanitize",
         "watches the kernels of a GPU, and this run is on the CPU; run it on a machine with "
         "an NVIDIA GPU, without --device cpu");
  phase("");
  report_.pair->outputs = outputsWord(report_.whole);
  if (isModule && !opponent.worstInputs.empty() && fs::exists(opponent.worstInputs, ec)) {
    report_.pair->worstInputs = opponent.worstInputs.string();
    // The user has these inputs: this run was theirs.
    if (report_.whole.accuracy.worstCase != kOwnInputs)
      report_.pair->replay = replayCommand(report_.subject, opponent, opponent.worstInputs);
  }
  return std::move(report_);
}

}  // namespace kadvise
