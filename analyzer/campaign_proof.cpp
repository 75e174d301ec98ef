// The part of a campaign that compares every candidate with its original, and chooses what the whole is made
// of.
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/campaign.h"
#include "analyzer/comparison.h"
#include "analyzer/finding_policy.h"
#include "analyzer/judged_on_gpu.h"
#include "analyzer/needed_budget.h"
#include "analyzer/selection.h"
#include "analyzer/spending.h"
#include "analyzer/vouching.h"
#include "reports/headline.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastToConfirmSeconds = 2;
constexpr const char* kNormalForm = "normal-form";
// Of the budget at most, beside the inputs as given: the whole that is written is asked all questions again.
constexpr double kNormalFormShare = 0.25;

Json module(const std::string& path, const std::map<std::string, std::string>& names) {
  return {{"path", path}, {"names", names}};
}

std::string inputsFile(const Candidate& c) { return c.id + ".inputs.pt"; }

// Where they cannot be had, the first comparison has said why.
bool canRecordKernels(const Report& r) {
  auto lacksThem = [](const Verdict& v) { return medianWallUs(v.before) > 0 && v.before.kernels.empty(); };
  return r.device.kind == "cuda" && std::none_of(r.verdicts.begin(), r.verdicts.end(), lacksThem);
}

}  // namespace

void Campaign::prove() {
  budgetLeft_ = options_.budgetSeconds;
  judgesOnGpu_ = whyNoCudaGraph().empty() && report_.readiness && willRunInGraphs(*report_.readiness);
  phase("inputs");
  if (Reply saved = saveInputs(base_, 0); !saved) {
    stop(saved);
    return;
  }
  if (!checkNormalForm()) return;
  double later = searches() ? roundsShare() + searchShare() : 0;
  compareCandidates(0, options_.budgetSeconds * (reservedShare() + later));
  if (searches() || looksAgain_) followRounds();
  auto proven = chooseAndProve();
  if (proven && searches() && !judgesOnGpu_) searchFrom(*proven);
  if (!measure_->usable())
    report_.errors.push_back({"", "kadvise-measure could not be started again: " + measure_->whyUnusable()});
}

std::optional<Composed> Campaign::chooseAndProve() {
  auto selection = select(report_.candidates, report_.verdicts, options_.keep);
  report_.composition.dropped = selection.dropped;
  if (selection.kept.empty()) {
    report_.whole.reason = measure_->usable() ? nothingKept() : "not measured: " + measure_->whyUnusable();
    return std::nullopt;
  }
  auto proven = proveWhole(selection.kept);
  if (proven) wholeFile_ = proven->file;
  return proven;
}

// CUDA graphs did not come of it: what was chosen for them is chosen again. Where the wall, which was timed
// briefly, decided nothing, the GPU's word stands: the whole is timed on the wall.
void Campaign::chooseByTheWall() {
  for (auto& v : report_.verdicts) {
    auto wall = onTheWall_.find(v.candidate);
    if (wall != onTheWall_.end() && wall->second.outcome != Outcome::Ambiguous) v = wall->second;
  }
  judgesOnGpu_ = false;
  report_.composition = {};
  report_.whole = Verdict();
  report_.whole.candidate = kWholeVerdict;
  chooseAndProve();
}

std::string Campaign::nothingKept() const {
  if (auto words = budgetWords(report_); !words.empty()) return words;
  auto n = report_.candidates.size();
  return fmt::format("nothing to apply: of {} proposal{} none is equal and {}", n, n == 1 ? "" : "s",
                     options_.keep == Keep::Faster ? "faster" : "not slower");
}

Reply Campaign::saveInputs(const std::string& base, std::size_t firstCandidate) {
  Json save = Json::array();
  for (std::size_t i = firstCandidate; i < report_.candidates.size(); ++i)
    save.push_back({{"file", inputsFile(report_.candidates[i])}, {"values", report_.candidates[i].inputs}});
  return askMeasure("trace", {{"base", moduleAt(base)}, {"out", ""}, {"save", save}},
                    "saving the inputs of the regions");
}

bool Campaign::checkNormalForm() {
  phase("normal form");
  auto begin = Clock::now();
  Verdict v = compare(kNormalForm, "checking the normal form",
                      {{"before", moduleAt("")},
                       {"after", moduleAt(base_)},
                       {"reference", moduleAt(baseFp64_)},
                       {"inputs", ""},
                       {"timing", false},
                       {"mostCheckingSeconds", kNormalFormShare * options_.budgetSeconds},
                       {"exactness", word(Exactness::Exact)}});
  wholeCheckSeconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
  report_.verdicts.push_back(v);
  if (outputsEqual(v)) return true;
  // A module that writes its own state is no fault of anybody: what was found stands, and nothing is
  // measured.
  if (v.outcome == Outcome::NotRun && measure_->usable()) {
    report_.whole.reason = "nothing is measured: " + v.reason;
    return false;
  }
  bool differs = v.outcome == Outcome::WrongOutput;
  return stop(
      "",
      (differs ? "the normal form of the module does not give the module's own outputs (a fault of kadvise)"
               : std::string("the normal form of the module could not be compared with it")) +
          (v.reason.empty() ? "" : ": " + v.reason));
}

// One comparison. A death or a refusal is this candidate's verdict.
Verdict Campaign::compare(const std::string& id, const std::string& doing, Json arguments) {
  std::optional<EngineLimits> limits;
  if (!setup_.limitsGiven && arguments.contains("budgetSeconds"))
    limits = limitsOfComparing(setup_.limits, arguments["budgetSeconds"]);
  progress_ = {doing, "", 0, 0, 0};
  Compared out = compareIn(*measure_, id, doing, std::move(arguments), reporting(nullptr), hooks(), limits);
  caseErrors_.add(id, std::move(out.caseErrors));
  if (out.death && measure_->usable()) noteLastLine(*out.death);
  return out.verdict;
}

void Campaign::takeUnmeasured(const Candidate& c, const std::string& why) {
  Verdict v;
  v.candidate = c.id, v.findings = c.findings;
  v.reason = why;
  report_.verdicts.push_back(v);
}

void Campaign::compareCandidates(std::size_t first, double reservedSeconds) {
  phase("candidates");
  auto order = inMeasuringOrder(first);
  Spent spent;
  double least = 0;  // a share that may do: where one was too short, few are finished rather than many begun
  for (std::size_t i = 0, inTurn = order.size(); i < order.size(); ++i) {
    if (i < inTurn) inTurn = putOffHopeless(order, i, inTurn);
    if (auto* whole = chosenAround(*order[i])) {
      takeUnmeasured(*order[i],
                     std::string(kPartOf) + "another, which was measured as one (" + whole->id + ")");
      continue;
    }
    double each = shareOf(order, i, i < inTurn ? inTurn : order.size(), reservedSeconds);
    bool isTimed = each >= (judgesOnGpu_ ? kLeastRegionSecondsOnGpu : kLeastRegionSeconds) || !searches() ||
                   !isVouchedFor(*order[i], report_.candidates, report_.verdicts);
    if (!isTimed && each < kLeastSecondsToCompare) {
      takeUnmeasured(*order[i], kPartOfWhole);
      continue;
    }
    double share = isTimed ? std::min(std::max(each, least), budgetLeft_ - reservedSeconds)
                           : std::min(each, kSecondsToCompare);
    auto doing = fmt::format("checking {} ({} of {}, {})", order[i]->id, i + 1, order.size(), order[i]->rule);
    double before = budgetLeft_;
    report_.verdicts.push_back(compareCandidate(*order[i], share, doing, 1, isTimed));
    if (i >= inTurn && share <= 0) report_.verdicts.back().reason += kPutOff;
    if (!isTimed) continue;
    bool cutShort = ranOutOfBudget(report_.verdicts.back());
    double took = before - budgetLeft_;
    if (share > 0 && cutShort) spent.cutShortSeconds += took, least = std::max(least, 2 * share);
    if (share > 0 && !cutShort) spent.finishedSeconds += took, ++spent.finished;
    spent.cutShort += cutShort && (share > 0 || spent.cutShort == 0);
  }
  confirmCandidates(order, reservedSeconds);
  if (report_.settings && first == 0)
    report_.settings->neededSeconds = neededSeconds(spent, order.size(), options_.budgetSeconds,
                                                    {reservedShare(), roundsShare() + mostSearchShare()});
}

// What the GPU takes alone is the same in another process. With what the budget has left: one process for all
// that are to be confirmed, since it loads the module again.
void Campaign::confirmCandidates(const std::vector<const Candidate*>& order, double reservedSeconds) {
  auto verdictOf = [&](const Candidate& c) {
    return std::find_if(report_.verdicts.begin(), report_.verdicts.end(),
                        [&](auto& v) { return v.candidate == c.id; });
  };
  auto isClaim = [&](const Candidate* c) {
    auto v = verdictOf(*c);
    return v->outcome == Outcome::Faster && v->before.counters.count(kJudgedOnGpu) == 0;
  };
  auto claims = static_cast<double>(std::count_if(order.begin(), order.end(), isClaim));
  if (claims == 0 || budgetLeft_ - reservedSeconds < claims * kLeastToConfirmSeconds) return;
  measure_->startAfresh();
  for (auto* c : order) {
    auto verdict = verdictOf(*c);
    if (!isClaim(c)) continue;
    double share = (budgetLeft_ - reservedSeconds) / claims--;
    if (share < kLeastToConfirmSeconds) return;
    *verdict = confirmed(*verdict, compareCandidate(*c, share, "confirming " + c->id, kConfirmation));
  }
}

Verdict Campaign::compareCandidate(const Candidate& c, double budgetSeconds, const std::string& doing,
                                   int attempt, bool isTimed) {
  Verdict out;
  if (budgetSeconds <= 0) {
    out.candidate = c.id;
    out.reason = fmt::format("the budget of {:g} s was spent before it (--budget)", options_.budgetSeconds);
  } else {
    Spending spent(budgetLeft_);
    out = compare(c.id, doing,
                  {{"before", module(c.before, c.names)},
                   {"after", module(c.after, c.names)},
                   {"reference", module(c.beforeFp64, c.names)},
                   {"inputs", inputsFile(c)},
                   {"timing", isTimed},
                   {"brief", judgesOnGpu_ && attempt == 1},
                   {"profile", isTimed && attempt == 1 && canRecordKernels(report_)},
                   {"candidates", report_.candidates.size()},
                   {"attempt", attempt},
                   {"budgetSeconds", std::max(kLeastSeconds, budgetSeconds)},
                   {"domain", c.domain},
                   {"exactness", word(c.exactness)}});
  }
  if (!isTimed && out.outcome == Outcome::NotRun && outputsEqual(out)) out.reason = kVouchedFor;
  out.findings = c.findings;
  if (!judgesOnGpu_) return out;
  if (attempt == 1) onTheWall_[c.id] = out;
  return judgedOnGpu(std::move(out));
}

}  // namespace kadvise
