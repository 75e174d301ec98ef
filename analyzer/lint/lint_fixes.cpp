#include "analyzer/lint/lint_fixes.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "analyzer/core/apply_edits.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lint/lint_policy.h"
#include "analyzer/lint/moved_lines.h"
#include "reports/unified_diff.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr int kMostRounds = 5;
constexpr int kMostTrials = 64;  // of one file in one round

using Fixes = std::vector<const Fix*>;

// What a file is after fixes of this round that do it no harm.
struct Better {
  Fixes fixes;
  int count = 0;
  LintSubject subject;
  LintedFile found;
};

// A file on its way.
struct FileChange {
  std::size_t index = 0;
  std::string original;
  int fixes = 0, refusals = 0, trials = 0;
  bool isDone = false;
  std::set<std::string> refused;  // by what they change: with them it would not compile
  std::vector<Fixes> untried;     // of this round; one of the last is tried next
  std::optional<Better> better;
};

// The same in a later round, where the place has moved.
std::string identityOf(const Fix& fix, const std::string& text) {
  std::string out = fix.title;
  auto* edits = std::get_if<std::vector<Edit>>(&fix.change);
  for (std::size_t i = 0; edits && i < edits->size(); ++i) {
    auto& e = (*edits)[i];
    out += "\n" + (e.offset <= text.size() ? text.substr(e.offset, e.length) : "") + "\n" + e.text;
  }
  return out;
}

Fixes fixesOf(const LintedFile& file, Safety atLeast, const std::string& text,
              const std::set<std::string>& refused) {
  Fixes out;
  for (auto& f : file.findings)
    for (auto& fix : f.fixes)
      if (fix.safety >= atLeast && !refused.count(identityOf(fix, text))) out.push_back(&fix);
  return out;
}

// Where only the first errors are listed, their number has to do.
bool hasNewErrors(const LintedFile& before, const LintedFile& after) {
  if (!after.failure.empty() || after.errorCount > before.errorCount) return true;
  if (after.hostErrorCount > before.hostErrorCount) return true;
  if (static_cast<std::size_t>(before.errorCount) > before.errors.size()) return false;
  std::multiset<std::string> known;
  for (auto& e : before.errors) known.insert(e.message);
  for (auto& e : after.errors) {
    auto it = known.find(e.message);
    if (it == known.end()) return true;
    known.erase(it);
  }
  return false;
}

class Rounds {
 public:
  Rounds(LintSession& session, std::vector<LintSubject>& subjects, std::vector<LintedFile>& results)
      : session_(session), subjects_(subjects), results_(results) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      changes_.emplace_back();
      changes_.back().index = i, changes_.back().original = subjects[i].text;
    }
  }

  std::vector<FileChange>& run() {
    for (int round = 0; round < kMostRounds; ++round) {
      for (auto& c : changes_) begin(c);
      while (tryNext()) {
      }
      for (auto& c : changes_) end(c);
    }
    return changes_;
  }

 private:
  void begin(FileChange& c) {
    if (c.isDone) return;
    auto& text = subjects_[c.index].text;
    Safety atLeast = session_.options().unsafeFixes ? Safety::Unsafe : Safety::Safe;
    Fixes all = fixesOf(results_[c.index], atLeast, text, c.refused);
    c.isDone = withFixes(text, all) == text;
    if (!c.isDone) c.untried = {std::move(all)};
    c.trials = 0;
  }

  // Of what is still to be tried the first group that changes something; false when nothing is left.
  bool next(FileChange& c, Better& trial) {
    auto& subject = subjects_[c.index];
    auto& known = c.better ? c.better->subject.text : subject.text;
    while (!c.untried.empty() && c.trials < kMostTrials) {
      trial.fixes = c.better ? c.better->fixes : Fixes();
      trial.fixes.insert(trial.fixes.end(), c.untried.back().begin(), c.untried.back().end());
      trial.subject = {subject.path, withFixes(subject.text, trial.fixes, &trial.count), true, {}};
      if (trial.subject.text != known) break;
      c.untried.pop_back();
    }
    if (c.untried.empty() || c.trials >= kMostTrials) return false;
    if (auto* lines = session_.linesOf(subject))
      trial.subject.lines = movedLines(*lines, subject.text, editsOf(subject.text, trial.fixes));
    return true;
  }

  // All files at once, so that they are read in parallel.
  bool tryNext() {
    std::vector<FileChange*> of;
    std::vector<Better> trials;
    std::vector<LintSubject> texts;
    for (auto& c : changes_) {
      Better trial;
      if (!next(c, trial)) continue;
      texts.push_back(trial.subject);
      of.push_back(&c), trials.push_back(std::move(trial));
    }
    if (of.empty()) return false;
    auto found = session_.look(texts);
    // What the configuration ignores or the baseline knows is not fixed in a later round either.
    applyLintPolicy(session_.assistant(), found);
    for (std::size_t i = 0; i < of.size(); ++i) {
      trials[i].found = std::move(found[i]);
      judge(*of[i], std::move(trials[i]));
    }
    return true;
  }

  // A group that does harm is tried in halves, so that one bad fix costs only itself.
  void judge(FileChange& c, Better trial) {
    Fixes group = std::move(c.untried.back());
    c.untried.pop_back();
    ++c.trials;
    if (!hasNewErrors(results_[c.index], trial.found)) {
      c.better = std::move(trial);
      return;
    }
    if (group.size() == 1) {
      ++c.refusals;
      c.refused.insert(identityOf(*group[0], subjects_[c.index].text));
      return;
    }
    auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
    c.untried.emplace_back(middle, group.end());
    c.untried.emplace_back(group.begin(), middle);
  }

  void end(FileChange& c) {
    if (c.isDone) return;
    for (auto& group : c.untried) c.refusals += static_cast<int>(group.size());  // too many trials
    c.isDone = !c.better || !c.untried.empty();
    c.untried.clear();
    if (c.better) {
      subjects_[c.index] = std::move(c.better->subject);
      results_[c.index] = std::move(c.better->found);
      c.fixes += c.better->count;
      c.better.reset();
    }
    session_.stands(results_[c.index]);
  }

  LintSession& session_;
  std::vector<LintSubject>& subjects_;
  std::vector<LintedFile>& results_;
  std::vector<FileChange> changes_;
};

std::string refusalNote(const std::string& path, int fixes) {
  return path + ": " + (fixes == 1 ? "a fix is" : std::to_string(fixes) + " fixes are") +
         " not applied, with " + (fixes == 1 ? "it" : "them") + " it would not compile";
}

// Throws where the file is not what was looked at, or is not to be written.
void writeFixed(const LintSubject& subject, const std::string& original) {
  std::error_code ec;
  if (fs::is_symlink(subject.path, ec))
    throw Error(subject.path, "is a link, and not fixed; name the file that it points to");
  auto rights = fs::status(subject.path, ec).permissions();
  constexpr auto kWrite = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
  if ((rights & kWrite) == fs::perms::none) throw Error(subject.path, "is write-protected, and not fixed");
  if (readFile(subject.path) != original)
    throw Error(subject.path, "has changed since it was read, and is not fixed; run again");
  writeFile(subject.path, subject.text);
}

}  // namespace

void applyFixes(LintSession& session, std::vector<LintSubject>& subjects, std::vector<LintedFile>& results,
                LintReport& report) {
  std::vector<bool> isGiven;
  for (auto& s : subjects) isGiven.push_back(s.isGiven);
  Rounds rounds(session, subjects, results);
  for (auto& c : rounds.run()) {
    auto& subject = subjects[c.index];
    if (c.refusals > 0) report.notes.push_back(refusalNote(subject.path, c.refusals));
    if (c.fixes == 0) continue;
    std::string diff = unifiedDiff(subject.path, c.original, subject.text);
    try {
      if (!session.options().diff && !isGiven[c.index]) writeFixed(subject, c.original);
      report.fixed.push_back({subject.path, diff, c.fixes});
    } catch (const Error& e) {
      report.errors.push_back({e.where, e.reason});
    }
  }
}

}  // namespace kadvise
