#include "analyzer/level_table.h"

#include <algorithm>

#include "analyzer/campaign.h"
#include "analyzer/interrupted.h"
#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

struct RewriteLevel {
  int level;
  const char* name;
};
constexpr RewriteLevel kRewrites[] = {{1, "kadvise's replacements by ATen operators"},
                                      {4, "these and kernels that kadvise generates"},
                                      {5, "all of kadvise's replacements, with kernels of its own"}};
constexpr const char* kInGraphs = "the same in CUDA graphs that the module owns";

// With CUDA graphs the replacements have a row more: what the graphs add to them.
std::vector<LevelRow> rewritten(const AssistantOptions& options, const Subject& subject,
                                const RewriteLevel& rewrite) {
  AssistantOptions limited = options;
  limited.level = rewrite.level;
  if (options.progress)
    limited.progress = [&](Progress p) {
      p.phase = "level " + std::to_string(rewrite.level) + ": " + p.phase;
      options.progress(p);
    };
  limited.workDir.clear();  // one folder holds the artefacts of one campaign
  Report report = Campaign(limited, subject).advise("");
  LevelRow row{rewrite.level, rewrite.name, report.whole, {}};
  std::size_t sites = 0;
  for (auto& a : report.composition.applied) sites += static_cast<std::size_t>(std::max(a.sites, 0));
  if (sites > 0)
    row.notes.push_back(plural(report.composition.applied.size(), "replacement") + " at " +
                        plural(sites, "site"));
  if (auto words = budgetWords(report); !words.empty() && words != report.whole.reason)
    row.notes.push_back(words);
  for (auto& e : report.errors) row.notes.push_back(e.what);
  auto without = std::find_if(report.verdicts.begin(), report.verdicts.end(),
                              [](auto& v) { return v.candidate == kWithoutGraphsVerdict; });
  if (!report.cudaGraph || report.cudaGraph->status != GraphStatus::Applied) return {row};
  LevelRow inGraphs{rewrite.level, kInGraphs, report.whole, row.notes};
  if (without == report.verdicts.end()) return {inGraphs};
  row.verdict = *without;
  return {row, inGraphs};
}

bool isStopped(const AssistantOptions& options) { return options.interrupted && options.interrupted(); }

// What was timed first beside another level: a level whose outputs differ was not.
void measureAsLoaded(std::vector<LevelRow>& rows) {
  auto timed =
      std::find_if(rows.begin() + 1, rows.end(), [](auto& r) { return !r.verdict.before.timings.empty(); });
  if (timed != rows.end()) rows[0].verdict.after = timed->verdict.before;
}

}  // namespace

Report levelsOf(const AssistantOptions& options, const Subject& subject) {
  Report report = Campaign(options, subject).ownLevels();
  if (!report.errors.empty()) return report;
  auto& rows = *report.levels;
  report.notes.push_back(
      "a first call is the first of its level in a process that has run the module before; only the first "
      "row's holds "
      "what LibTorch itself sets up");
  for (auto& rewrite : kRewrites) {
    if (isStopped(options)) break;
    auto at = rows.begin();
    while (at != rows.end() && at->level < rewrite.level) ++at;
    try {
      auto more = rewritten(options, subject, rewrite);
      rows.insert(at, more.begin(), more.end());
    } catch (const Interrupted&) {
      break;  // the rows before it are measured, and shown
    }
  }
  if (isStopped(options))
    report.notes.push_back("interrupted: the levels that are not listed were not measured");
  measureAsLoaded(rows);
  return report;
}

}  // namespace kadvise
