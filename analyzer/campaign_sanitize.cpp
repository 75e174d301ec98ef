// The part of `kadvise verify` that compares two modules while compute-sanitizer watches their kernels. It is
// slow, and so it is about the inputs that were given, once, and about no time.
#include "analyzer/campaign.h"
#include "analyzer/comparison.h"
#include "analyzer/core/file.h"
#include "analyzer/sanitizer.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr double kSummarySeconds = 120;  // from the end of the program to the end of the tool

SanitizerLog logAt(const fs::path& path) {
  std::error_code ec;
  return fs::exists(path, ec) ? parseSanitizerLog(readFile(path)) : SanitizerLog{};
}

}  // namespace

// In processes of their own. What the original does wrong on its own is not held against the candidate: it is
// run alone where anything was found.
Verdict Campaign::compareSanitized(const Opponent& opponent, const fs::path& sanitizer) {
  measure_->startAfresh();  // the device has to hold one of the two processes
  auto run = [&](const std::string& after, const std::string& logName) {
    fs::path file = work_.path() / logName;
    Program program = sanitized(Program(setup_.measureProgram, setup_.installation.libraryPath), sanitizer,
                                opponent.sanitizer, file);
    MeasureSession session(program, setup_.logOf(kSanitizerName), setup_.limits, measure_->openArguments());
    Compared compared = compareIn(session, kSanitizerName, "comparing under " + opponent.sanitizer,
                                  {{"before", moduleAt("")},
                                   {"after", moduleAt(after)},
                                   {"reference", moduleAt(baseFp64_)},
                                   {"inputs", ""},
                                   {"timing", false},
                                   {"exactness", word(Exactness::Exact)},
                                   {"breadth", "batch"}},
                                  reporting(nullptr), hooks());
    session.end(kSummarySeconds);
    return std::make_pair(compared, logAt(file));
  };

  auto [compared, found] = run(fs::absolute(opponent.module).string(), "sanitizer.log");
  Verdict verdict = compared.verdict;
  std::string tool = std::string(kSanitizerName) + " " + opponent.sanitizer;
  auto join = [&](const std::string& more) { verdict.reason += (verdict.reason.empty() ? "" : "; ") + more; };
  if (!found.isComplete) {
    verdict.outcome = Outcome::Failed;
    join(tool + " ended without a summary" + (found.lastLine.empty() ? "" : ", after: " + found.lastLine));
    return verdict;
  }
  report_.pair->sanitizer =
      SanitizerCheck{opponent.sanitizer, found.errors, found.warnings, found.kind, found.kernel};
  if (found.errors == 0) {
    join(tool + " found " + words(found) + " on these inputs");
    return verdict;
  }
  SanitizerLog alone = run("", "sanitizer-original.log").second;
  bool isWrong = verdict.outcome == Outcome::WrongOutput;
  std::string said = std::exchange(verdict.reason, tool + " found " + words(found));
  if (isWrong) {
    join(said);
    return verdict;
  }
  verdict.outcome = Outcome::Failed;
  if (alone.isComplete && alone.errors > 0) {
    report_.pair->sanitizer->errorsOfOriginal = alone.errors;
    verdict.outcome = Outcome::NotRun;
    verdict.accuracy.grade.clear();
    join("the original alone has " + words(alone) + ", so nothing is decided");
  }
  return verdict;
}

}  // namespace kadvise
