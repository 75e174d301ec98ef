#include "analyzer/lint/lint_fixes.h"

#include "analyzer/core/apply_edits.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lint/lint_policy.h"
#include "reports/unified_diff.h"

namespace kadvise {
namespace {

constexpr int kMostRounds = 5;

// A file on its way: the text so far, and how many fixes made it.
struct FileChange {
  std::size_t index = 0;
  std::string original;
  int fixes = 0, tried = 0;
  bool isDone = false;
};

std::vector<const Fix*> fixesOf(const LintedFile& file, Safety atLeast) {
  std::vector<const Fix*> out;
  for (auto& f : file.findings)
    for (auto& fix : f.fixes)
      if (fix.safety >= atLeast) out.push_back(&fix);
  return out;
}

// One round: the next text of each file that is not done, and what is found in it.
void advance(LintSession& session, std::vector<FileChange>& changes, std::vector<LintSubject>& subjects,
             std::vector<LintedFile>& results, LintReport& report) {
  Safety atLeast = session.options().unsafeFixes ? Safety::Unsafe : Safety::Safe;
  std::vector<LintSubject> next;
  std::vector<FileChange*> of;
  for (auto& c : changes) {
    if (c.isDone) continue;
    std::string text = withFixes(subjects[c.index].text, fixesOf(results[c.index], atLeast), &c.tried);
    c.isDone = text == subjects[c.index].text;
    if (c.isDone) continue;
    next.push_back({subjects[c.index].path, std::move(text), true});
    of.push_back(&c);
  }
  auto found = session.look(next);
  // What the configuration ignores or the baseline knows is not fixed in a later round either.
  applyLintPolicy(session.assistant(), found);
  for (std::size_t i = 0; i < next.size(); ++i) {
    FileChange& c = *of[i];
    LintedFile& before = results[c.index];
    if (!found[i].failure.empty() || found[i].errorCount > before.errorCount) {
      report.notes.push_back(before.path + ": its fixes are not applied, they would not compile");
      c.isDone = true;
      continue;
    }
    subjects[c.index].text = std::move(next[i].text);
    before = std::move(found[i]);
    c.fixes += c.tried;
  }
}

}  // namespace

void applyFixes(LintSession& session, std::vector<LintSubject>& subjects, std::vector<LintedFile>& results,
                LintReport& report) {
  std::vector<FileChange> changes;
  for (std::size_t i = 0; i < subjects.size(); ++i) changes.push_back({i, subjects[i].text});
  for (int round = 0; round < kMostRounds; ++round) advance(session, changes, subjects, results, report);
  for (auto& c : changes) {
    if (c.fixes == 0) continue;
    auto& subject = subjects[c.index];
    std::string diff = unifiedDiff(subject.path, c.original, subject.text);
    try {
      if (!session.options().diff && !subject.isGiven) writeFile(subject.path, subject.text);
      report.fixed.push_back({subject.path, diff, c.fixes});
    } catch (const Error& e) {
      report.errors.push_back({e.where, e.reason});
    }
  }
}

}  // namespace kadvise
