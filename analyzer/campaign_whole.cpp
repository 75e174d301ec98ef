// The part of a campaign that puts the chosen replacements together and compares the whole module.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "analyzer/campaign.h"
#include "analyzer/comparison.h"
#include "analyzer/finding_policy.h"
#include "analyzer/largest_equal_set.h"
#include "analyzer/selection.h"
#include "analyzer/spending.h"
#include "reports/headline.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

constexpr double kConfirmingShare = 0.4;  // of what the whole may take
constexpr double kAgainShare = 0.5;       // of that, for questions that were asked before it
// Past the budget, and no more than that, where checking the whole left too little time for timing.
constexpr double kOvertimeSeconds = 8;
// Of the same, for timing what is left where not all is within the bounds.
constexpr double kProvingShare = 0.5;
constexpr double kLastTrials = 8;         // halvings of the set, past the budget
constexpr double kLastTrialsShare = 0.5;  // of the budget, at most

using Clock = std::chrono::steady_clock;

bool isOnlyInexact(const Verdict& v) { return v.outcome == Outcome::WrongOutput && v.accuracy.rmsUlp > 0; }

bool isBeyondBounds(const Dropped& d) {
  return d.reason.starts_with(kBeyondAlone) || d.reason.starts_with(kBeyondTogether);
}

using WhyOut = std::map<std::string, std::string>;  // of what a longer comparison refuted

// All of what was found and of what stayed out but the set.
std::vector<Dropped> leftBeside(const std::vector<std::string>& set, const LargestSet& found,
                                const WhyOut& whyOut) {
  std::vector<Dropped> all = found.left;
  for (auto& id : found.set) all.push_back({id, kBeyondTogether});
  std::erase_if(all, [&](auto& d) { return std::count(set.begin(), set.end(), d.candidate) != 0; });
  for (auto& d : all)
    if (auto why = whyOut.find(d.candidate); why != whyOut.end()) d.reason = why->second;
  return all;
}

}  // namespace

// Each is within its bounds where it stands; their errors add up. Where the sum is not within them, the most
// of the set that is.
std::optional<Composed> Campaign::proveWhole(const std::vector<std::string>& kept) {
  auto chosenBefore = report_.composition.dropped;
  auto composed = composeToProve(kept, chosenBefore);
  if (!composed) return std::nullopt;
  compareWhole(*composed, options_.budgetSeconds * wholeShare());
  if (!isOnlyInexact(report_.whole)) return composed;
  std::string why = report_.whole.reason;
  auto largest = largestWithin(kept, why);
  largest.left.insert(largest.left.begin(), chosenBefore.begin(), chosenBefore.end());
  if (measureInTheirPlace(largest)) largest = withOthers(largest);
  return proveLargest(largest, why);
}

// What short comparisons found the longer one may refute: then less of it is proven, as long as there is
// time.
std::optional<Composed> Campaign::proveLargest(const LargestSet& found, std::string why) {
  WhyOut whyOut;
  for (auto& set : setsToProve(found, report_.candidates, report_.verdicts)) {
    if (!whyOut.empty() && !hasTimeToTrySets(false)) {
      for (auto& [id, words] : whyOut)
        if (!words.starts_with(kBeyondAlone)) words = std::string(kUntriedWithFewer) + ": " + why;
      break;
    }
    auto composed = composeToProve(set, leftBeside(set, found, whyOut));
    if (!composed) return std::nullopt;
    compareWhole(*composed, std::max(options_.budgetSeconds * wholeShare() * kProvingShare,
                                     budgetLeft_ - options_.budgetSeconds * graphShare()));
    if (!isOnlyInexact(report_.whole)) return composed;
    why = report_.whole.reason;
    for (auto& id : set) whyOut[id] = (set.size() == 1 ? kBeyondAlone : kBeyondTogether) + (": " + why);
  }
  applyNothing(leftBeside({}, found, whyOut), why);
  return std::nullopt;
}

LargestSet Campaign::largestWithin(const std::vector<std::string>& set, const std::string& why) {
  return largestEqualSet(set, why, report_.candidates, report_.verdicts,
                         {[&](auto& part) { return whyBeyond(part); },
                          [&](bool isAnythingFound) { return hasTimeToTrySets(isAnythingFound); }});
}

// What was not measured since a change of its whole region was, and that stays out now; where nothing is
// left, also what the budget had no time for. Answers whether one of them is kept.
bool Campaign::measureInTheirPlace(const LargestSet& largest) {
  auto isTaken = [&](const Candidate& part, auto&& isAmong) {
    return std::any_of(report_.candidates.begin(), report_.candidates.end(), [&](auto& c) {
      return std::count(c.parts.begin(), c.parts.end(), part.id) != 0 && isAmong(c.id);
    });
  };
  auto isIn = [&](auto& id) { return std::count(largest.set.begin(), largest.set.end(), id) != 0; };
  auto isBeyond = [&](auto& id) {
    return std::any_of(largest.left.begin(), largest.left.end(),
                       [&](auto& d) { return d.candidate == id && isBeyondBounds(d); });
  };
  std::vector<std::pair<const Candidate*, Verdict*>> others;
  for (auto* c : inMeasuringOrder(0))
    for (auto& v : report_.verdicts) {
      if (v.candidate != c->id || v.outcome != Outcome::NotRun) continue;
      bool isPart = v.reason.starts_with(kPartOf) && isTaken(*c, isBeyond) && !isTaken(*c, isIn);
      if (isPart || (largest.set.empty() && ranOutOfBudget(v))) others.emplace_back(c, &v);
    }
  double whole = options_.budgetSeconds * wholeShare();
  double until = options_.budgetSeconds * graphShare() + kProvingShare * whole + 2 * tryingSeconds_;
  if (largest.set.empty()) until = std::min(until, budgetLeft_ - whole);
  phase("candidates");
  bool isAnyKept = false;
  for (std::size_t i = 0; i < others.size(); ++i) {
    auto [candidate, verdict] = others[i];
    double share = (budgetLeft_ - until) / static_cast<double>(others.size() - i);
    *verdict = compareCandidate(*candidate, share, "checking " + candidate->id + " in place of others");
    isAnyKept |= whyNotKept(*verdict, options_.keep).empty();
  }
  return isAnyKept;
}

// Chosen again without those that stay out; what was found stands where it comes to no more.
LargestSet Campaign::withOthers(const LargestSet& found) {
  std::vector<Dropped> out;
  for (auto& d : found.left)
    if (isBeyondBounds(d)) out.push_back(d);
  auto verdicts = report_.verdicts;
  std::erase_if(verdicts, [&](auto& v) {
    return std::any_of(out.begin(), out.end(), [&](auto& d) { return d.candidate == v.candidate; });
  });
  auto chosen = select(report_.candidates, verdicts, options_.keep);
  if (chosen.kept.empty()) return found;
  LargestSet more{chosen.kept, {}};
  if (auto why = whyBeyond(chosen.kept); !why.empty()) more = largestWithin(chosen.kept, why);
  if (more.set.size() <= found.set.size() && !found.set.empty()) return found;
  more.left.insert(more.left.begin(), chosen.dropped.begin(), chosen.dropped.end());
  more.left.insert(more.left.end(), out.begin(), out.end());
  return more;
}

// "" where the module with that set is within its bounds, untimed.
std::string Campaign::whyBeyond(const std::vector<std::string>& set) {
  Reply refused;
  auto composed = compose(set, kWholeFile, refused);
  if (!composed) {
    reviveGraph();
    return refused.reason;
  }
  if (composed->composition.applied.empty()) return "nothing of it could be applied";
  phase("whole");
  auto begin = Clock::now();
  Json arguments = wholeArguments(composed->file, composed->composition, kLeastSeconds);
  arguments["timing"] = arguments["profile"] = false;
  Verdict v = compare(kWholeVerdict, "checking a part of the replacements", arguments);
  tryingSeconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
  budgetLeft_ -= tryingSeconds_;
  if (outputsEqual(v)) return "";
  return v.reason.empty() ? word(v.outcome) : v.reason;
}

// What is found has to be timed. With nothing found the budget is no reason to give up before a few more.
bool Campaign::hasTimeToTrySets(bool isAnythingFound) const {
  if (!measure_->usable()) return false;
  double whole = options_.budgetSeconds * wholeShare(), graphs = options_.budgetSeconds * graphShare();
  double last = std::min(kLastTrials * tryingSeconds_, kLastTrialsShare * options_.budgetSeconds);
  if (!isAnythingFound) return budgetLeft_ > -(whole + last);
  return budgetLeft_ - tryingSeconds_ > graphs + kProvingShare * whole;
}

// No set of the replacements was found within the bounds of the whole, and what differs is not applied.
void Campaign::applyNothing(const std::vector<Dropped>& dropped, const std::string& why) {
  report_.composition = {};
  report_.composition.dropped = dropped;
  report_.whole = Verdict();
  report_.whole.candidate = kWholeVerdict;
  bool isAllTried = std::none_of(dropped.begin(), dropped.end(),
                                 [](auto& d) { return d.reason.starts_with(kUntriedWithFewer); });
  report_.whole.reason = std::string("nothing to apply: no ") +
                         (isAllTried ? "replacement" : "set of replacements that was tried") +
                         " leaves the whole module within its bounds: " + why;
  if (auto words = budgetWords(report_); !words.empty()) report_.whole.reason += "; " + words;
}

// nullopt where there is nothing to compare; the report says why.
std::optional<Composed> Campaign::composeToProve(const std::vector<std::string>& set,
                                                 const std::vector<Dropped>& dropped) {
  Reply refused;
  auto composed = compose(set, kWholeFile, refused);
  if (!composed) {
    stop(refused);
    return std::nullopt;
  }
  report_.composition = composed->composition;
  auto& all = report_.composition.dropped;
  all.insert(all.begin(), dropped.begin(), dropped.end());
  if (!report_.composition.applied.empty()) return composed;
  report_.whole.reason = "nothing to apply";
  return std::nullopt;
}

std::optional<Composed> Campaign::compose(const std::vector<std::string>& set, const std::string& file,
                                          Reply& refused) {
  phase("compose");
  Reply reply = askGraph("compose",
                         {{"candidates", set},
                          {"without", suppressedIds(report_)},
                          {"path", (work_.path() / file).string()},
                          {"weights", false}},
                         "composing the module");
  if (!reply) {
    refused = std::move(reply);
    return std::nullopt;
  }
  Composed out{set, file, {}};
  for (auto& a : reply.body.at("applied").get<std::vector<Applied>>())
    if (a.sites > 0) out.composition.applied.push_back(a);
  for (auto& d : reply.body.at("dropped")) out.composition.dropped.push_back(d.get<Dropped>());
  reply.body.at("notes").get_to(out.composition.notes);
  return out;
}

void Campaign::compareWhole(const Composed& composed, double budgetSeconds) {
  phase("whole");
  auto begin = Clock::now();
  Json arguments = wholeArguments(composed.file, composed.composition, budgetSeconds);
  report_.whole = compareAndConfirm(kWholeVerdict, "checking the whole module", arguments);
  budgetLeft_ -= std::chrono::duration<double>(Clock::now() - begin).count();
  if (report_.whole.outcome == Outcome::Failed)
    report_.errors.push_back({"", "the optimised module could not be measured: " + report_.whole.reason});
}

// That the whole is faster is never said after one measurement: the best of many comes out better than it is.
Verdict Campaign::compareAndConfirm(const std::string& id, const std::string& doing, Json arguments) {
  double budgetSeconds = arguments.at("budgetSeconds");
  if (arguments.at("timing")) arguments["budgetSeconds"] = budgetSeconds * (1 - kConfirmingShare);
  Verdict first = compareInOvertime(id, doing, arguments, 1 - kConfirmingShare);
  if (first.outcome != Outcome::Faster) return first;
  measure_->startAfresh();
  arguments["budgetSeconds"] = std::max(kLeastSeconds, budgetSeconds * kConfirmingShare);
  arguments["mostCheckingSeconds"] = kAgainShare * arguments.at("budgetSeconds").get<double>();
  arguments["attempt"] = kConfirmation;
  arguments["profile"] = false;
  arguments.erase("breadth");
  return confirmed(first, compareInOvertime(id, doing + " once more", arguments, 1));
}

// share: of the overtime that is left.
Verdict Campaign::compareInOvertime(const std::string& id, const std::string& doing, Json arguments,
                                    double share) {
  const double granted = share * (std::min(kOvertimeSeconds, options_.budgetSeconds) - overtimeSpent_);
  arguments["overtimeSeconds"] = granted;
  double left = arguments.at("budgetSeconds").get<double>() + granted;
  Verdict out;
  {
    const Spending spent(left);
    out = compare(id, doing, arguments);
  }
  overtimeSpent_ += granted - std::clamp(left, 0.0, granted);
  return out;
}

// What the composed module promises is what its weakest replacement does.
Json Campaign::wholeArguments(const std::string& after, const Composition& composition,
                              double budgetSeconds) const {
  Exactness exactness = Exactness::Exact;
  std::string domain;
  std::set<std::string> said;
  for (auto& a : composition.applied)
    for (auto& c : report_.candidates)
      if (c.id == a.candidate) {
        exactness = std::max(exactness, c.exactness);
        bool isNew = !c.domain.empty() && said.insert(c.domain).second;
        if (isNew) domain += (domain.empty() ? "" : "; ") + c.domain;
      }
  return {{"before", moduleAt("")},
          {"after", moduleAt(after)},
          {"reference", moduleAt(baseFp64_)},
          {"inputs", ""},
          {"timing", true},
          {"profile", true},
          {"budgetSeconds", std::max(kLeastSeconds, budgetSeconds)},
          {"domain", domain},
          {"exactness", word(exactness)}};
}

Verdict Campaign::compareWith(const std::filesystem::path& optimised) {
  if (!open(Behind::Measure)) return report_.whole;
  phase("whole");
  return compareAndConfirm(kWholeVerdict, "comparing the two modules",
                           wholeArguments(std::filesystem::absolute(optimised).string(), report_.composition,
                                          options_.budgetSeconds * kWholeShare));
}

}  // namespace kadvise
