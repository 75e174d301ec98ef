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

void join(Verdict& verdict, const std::string& more) {
  verdict.reason += (verdict.reason.empty() ? "" : "; ") + more;
}

// What the tool found decides, unless the outputs differ anyway, or the original does the same on its own.
Verdict withErrors(Verdict verdict, const std::string& said, const SanitizerLog& ofOriginal) {
  std::string reason = std::exchange(verdict.reason, said);
  if (verdict.outcome == Outcome::WrongOutput) {
    join(verdict, reason);
    return verdict;
  }
  verdict.outcome = Outcome::Failed;
  if (ofOriginal.isComplete && ofOriginal.errors > 0) {
    verdict.outcome = Outcome::NotRun;
    verdict.accuracy.grade.clear();
    join(verdict, "the original alone has " + words(ofOriginal) + ", so nothing is decided");
  }
  return verdict;
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
  if (!found.isComplete) {
    verdict.outcome = Outcome::Failed;
    join(verdict,
         tool + " ended without a summary" + (found.lastLine.empty() ? "" : ", after: " + found.lastLine));
    return verdict;
  }
  report_.pair->sanitizer =
      SanitizerCheck{opponent.sanitizer, found.errors, found.warnings, found.kind, found.kernel};
  if (found.errors == 0) {
    join(verdict, tool + " found " + words(found) + " on these inputs");
    return verdict;
  }
  SanitizerLog alone = run("", "sanitizer-original.log").second;
  if (compared.verdict.outcome != Outcome::WrongOutput && alone.isComplete && alone.errors > 0)
    report_.pair->sanitizer->errorsOfOriginal = alone.errors;
  return withErrors(std::move(verdict), tool + " found " + words(found), alone);
}

}  // namespace kadvise
