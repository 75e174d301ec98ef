// The part of a campaign that tries other sets of candidates than the first, each as a whole against the best
// so far. The report speaks of a set only when that has been proven against the original.
#include <algorithm>
#include <set>

#include "analyzer/campaign.h"
#include "analyzer/comparison.h"
#include "analyzer/spending.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

bool isAsGood(const Verdict& v, const Verdict& start) {
  if (!outputsEqual(v) || v.outcome == Outcome::Slower || v.outcome == Outcome::NotRun) return false;
  return v.outcome == Outcome::Faster || start.outcome != Outcome::Faster;
}

// The same replacements at the same numbers of sites make the same module.
bool isSameModule(const Composed& a, const Composed& b) {
  auto words = [](const Composed& c) {
    Ids out;
    for (auto& x : c.composition.applied) out.push_back(x.candidate + " " + std::to_string(x.sites));
    return out;
  };
  Ids ofA = words(a), ofB = words(b);
  std::sort(ofA.begin(), ofA.end());
  std::sort(ofB.begin(), ofB.end());
  return ofA == ofB;
}

// A pass brings along what it stands on, asked for or not.
bool isIn(const Composed& set, const std::string& id) {
  auto& applied = set.composition.applied;
  return std::find(set.set.begin(), set.set.end(), id) != set.set.end() ||
         std::any_of(applied.begin(), applied.end(), [&](auto& a) { return a.candidate == id; });
}

// At one of their places at least.
Ids crowdedOut(const Composed& set) {
  Ids out;
  for (auto& id : set.set)
    if (std::any_of(set.composition.dropped.begin(), set.composition.dropped.end(),
                    [&](auto& d) { return d.candidate == id; }))
      out.push_back(id);
  return out;
}

Verdict notRun(const std::string& why) {
  Verdict v;
  v.reason = why;
  return v;
}

}  // namespace

bool Campaign::searches() const { return options_.budgetSeconds >= kLeastBudgetToSearchSeconds; }

// Where there are no trials, what waits for a second round gets their share.
double Campaign::roundsShare() const {
  return judgesOnGpu_ && looksAgain_ ? kRoundsShare + kSearchShare : kRoundsShare;
}

// Trials are timed without graphs: where those are to be expected, there are none.
double Campaign::mostSearchShare() const {
  if (judgesOnGpu_) return 0;
  return std::clamp(1 - kLeastRegionsShare - kRoundsShare - reservedShare(), 0.0, kSearchShare);
}

double Campaign::searchShare() const {
  double regions = kLeastRegionSeconds * static_cast<double>(report_.candidates.size());
  double left = 1 - regions / options_.budgetSeconds - kRoundsShare - reservedShare();
  return std::clamp(left, 0.0, mostSearchShare());
}

void Campaign::noteStep(const std::string& tried, const Composed& set, const Ids& against, const Verdict& v,
                        const std::string& decision) {
  report_.search.push_back({tried, set.set, against, v.outcome, v.speedup, decision});
}

// Interrupted here, the run ends with what has been proven.
void Campaign::searchFrom(const Composed& start) {
  if (!outputsEqual(report_.whole)) return;
  phase("search");
  try {
    Composed chosen = tryTrials(start);
    if (chosen.file != start.file) proveChosen(chosen, start);
  } catch (const Interrupted&) {
    endWithWhatIsProven();
    noteStep("further sets", start, {}, {}, "not tried: the run was interrupted, and the first set stands");
  }
}

// After an interrupt, which is not heard again.
void Campaign::endWithWhatIsProven() {
  isInterrupted_ = true;
  measure_->startAfresh();
  if (graph_->busy()) graph_.reset();
}

// One after the other against the best so far; what beats it changes what is worth a trial.
Composed Campaign::tryTrials(const Composed& start) {
  Measured measured{report_.candidates, report_.verdicts, options_.keep, medianWallUs(report_.whole.before)};
  Composed current = start;
  std::set<Ids> tried = {start.set};
  while (measure_->usable()) {
    auto trials = trialsAgainst({current.set, crowdedOut(current)}, measured);
    auto next =
        std::find_if(trials.begin(), trials.end(), [&](auto& t) { return tried.insert(t.set).second; });
    if (next == trials.end()) break;
    if (report_.search.empty())
      noteStep("all that is equal and " +
                   std::string(options_.keep == Keep::Faster ? "faster" : "not slower") + " in its region",
               start, {}, report_.whole, "further sets are tried against it");
    double seconds =
        secondsForTrial(budgetLeft_ - graphShare() * options_.budgetSeconds, options_.budgetSeconds);
    if (seconds == 0) {
      noteStep("further sets", {next->set, "", {}}, current.set, {},
               "not tried: the budget was spent (--budget)");
      break;
    }
    tryTrial(*next, current, seconds);
  }
  return current;
}

// Two composed modules directly: what they have in common cancels.
void Campaign::tryTrial(const Trial& trial, Composed& current, double budgetSeconds) {
  Reply refused;
  auto composed = compose(trial.set, "set" + std::to_string(report_.search.size()) + ".pt", refused);
  if (!composed) {
    noteStep(trial.tried, {trial.set, "", {}}, current.set, {}, decisionOn(notRun(refused.reason)));
    reviveGraph();
    return;
  }
  if (composed->composition.applied.empty() || isSameModule(*composed, current)) return;
  phase("search");
  Composition both = current.composition;
  for (auto& a : composed->composition.applied) both.applied.push_back(a);
  Json arguments = wholeArguments(composed->file, both, budgetSeconds);
  arguments["before"] = moduleAt(current.file);
  arguments["profile"] = false;
  arguments["candidates"] = std::max<std::size_t>(1, report_.candidates.size());
  Verdict v;
  {
    Spending spent(budgetLeft_);
    v = compare("set", "trying " + trial.tried, arguments);
  }
  noteStep(trial.tried, *composed, current.set, v, decisionOn(v));
  if (v.outcome == Outcome::Faster) current = *composed;
}

// A set that was better beside another must still be equal to the original, and faster than it.
void Campaign::proveChosen(const Composed& chosen, const Composed& start) {
  Verdict before = report_.whole;
  auto errors = report_.errors;
  double left = budgetLeft_ - graphShare() * options_.budgetSeconds;
  compareWhole(chosen, std::max(options_.budgetSeconds * kProofShare, left));
  Verdict after = report_.whole;
  if (!isAsGood(after, before)) {
    std::string why = after.reason.empty() ? word(after.outcome) : after.reason;
    noteStep("the chosen set", chosen, {}, after, "not proven (" + why + "): the first set stands");
    report_.whole = before;
    report_.errors = errors;
    return;
  }
  noteStep("the chosen set", chosen, {}, after, "proven");
  replaceSet(chosen, start.set, "the whole module is faster without it");
}

// why: of those that were in the set before and are not in this one.
void Campaign::replaceSet(const Composed& chosen, const Ids& before, const std::string& why) {
  wholeFile_ = chosen.file;
  auto dropped = report_.composition.dropped;
  report_.composition = chosen.composition;
  for (auto& id : before)
    if (!isIn(chosen, id)) report_.composition.dropped.push_back({id, why});
  for (auto& d : dropped)
    if (!isIn(chosen, d.candidate)) report_.composition.dropped.push_back(d);
}

}  // namespace kadvise
