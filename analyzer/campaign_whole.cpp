// The part of a campaign that puts the chosen replacements together and compares the whole module.
#include <algorithm>

#include "analyzer/campaign.h"
#include "analyzer/comparison.h"
#include "analyzer/finding_policy.h"

namespace kadvise {
namespace {

constexpr double kConfirmingShare = 0.4;  // of what the whole may take
constexpr int kMostCulprits = 5;          // each costs the comparison of the whole several times

bool isOnlyInexact(const Verdict& v) { return v.outcome == Outcome::WrongOutput && v.accuracy.rmsUlp > 0; }

}  // namespace

// Each is within its bounds where it stands; their errors add up. Where the sum is not within them, the less
// exact half stays out and the rest is tried. Where that ends at one that leaves the bounds by itself, it was
// that one: it stays out, and the others are tried without it.
void Campaign::proveWhole(std::vector<std::string> kept) {
  std::vector<Dropped> left = report_.composition.dropped;
  for (int culprits = 0; culprits <= kMostCulprits; ++culprits) {
    auto alone = proveLessAndLess(kept);
    if (alone.empty()) return;
    std::erase(kept, alone);
    if (kept.empty() || culprits == kMostCulprits) return;
    left.push_back({alone, "in the whole module it leaves its bounds: " + report_.whole.reason});
    startComposition(left);
  }
}

// The last one where it is alone and still outside the bounds; "" where the whole has its verdict.
std::string Campaign::proveLessAndLess(std::vector<std::string> kept) {
  std::vector<Dropped> dropped = report_.composition.dropped;
  while (compose(kept)) {
    compareWhole();
    if (!isOnlyInexact(report_.whole)) return "";
    if (kept.size() == 1) return kept[0];
    auto out = lessExactHalf(kept);
    if (out.empty() || out.size() == kept.size()) return "";
    for (auto& id : out) {
      dropped.push_back(
          {id, "together with the others the module leaves its bounds: " + report_.whole.reason});
      std::erase(kept, id);
    }
    startComposition(dropped);
  }
  return "";
}

void Campaign::startComposition(const std::vector<Dropped>& dropped) {
  report_.composition = {};
  report_.composition.dropped = dropped;
}

// Of those that change a bit at all.
std::vector<std::string> Campaign::lessExactHalf(const std::vector<std::string>& kept) const {
  std::vector<const Verdict*> order;
  for (auto& v : report_.verdicts)
    if (v.accuracy.rmsUlp > 0 && std::find(kept.begin(), kept.end(), v.candidate) != kept.end())
      order.push_back(&v);
  std::stable_sort(order.begin(), order.end(),
                   [](auto* a, auto* b) { return a->accuracy.rmsUlp > b->accuracy.rmsUlp; });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < (order.size() + 1) / 2; ++i) out.push_back(order[i]->candidate);
  return out;
}

bool Campaign::compose(const std::vector<std::string>& kept) {
  phase("compose");
  Reply composed = askGraph("compose",
                            {{"candidates", kept},
                             {"without", suppressedIds(report_)},
                             {"path", (work_.path() / kWholeFile).string()},
                             {"weights", false}},
                            "composing the module");
  if (!composed) return stop(composed);
  auto& c = report_.composition;
  for (auto& a : composed.body.at("applied").get<std::vector<Applied>>())
    if (a.sites > 0) c.applied.push_back(a);
  for (auto& d : composed.body.at("dropped")) c.dropped.push_back(d.get<Dropped>());
  composed.body.at("notes").get_to(c.notes);
  if (c.applied.empty()) report_.whole.reason = "nothing to apply";
  return !c.applied.empty();
}

void Campaign::compareWhole() {
  phase("whole");
  report_.whole = compareAndConfirm(kWholeVerdict, "checking the whole module",
                                    wholeArguments(kWholeFile, /*timing=*/true));
  if (report_.whole.outcome == Outcome::Failed)
    report_.errors.push_back({"", "the optimised module could not be measured: " + report_.whole.reason});
}

// That the whole is faster is never said after one measurement: the best of many comes out better than it is.
Verdict Campaign::compareAndConfirm(const std::string& id, const std::string& doing, Json arguments) {
  double budgetSeconds = arguments.at("budgetSeconds");
  if (arguments.at("timing")) arguments["budgetSeconds"] = budgetSeconds * (1 - kConfirmingShare);
  Verdict first = compare(id, doing, arguments);
  if (first.outcome != Outcome::Faster) return first;
  measure_->startAfresh();
  arguments["budgetSeconds"] = std::max(kLeastSeconds, budgetSeconds * kConfirmingShare);
  arguments["attempt"] = kConfirmation;
  arguments["profile"] = false;
  arguments.erase("breadth");
  return confirmed(first, compare(id, doing + " once more", arguments));
}

// What the composed module promises is what its weakest replacement does.
Json Campaign::wholeArguments(const std::string& after, bool timing) const {
  Exactness exactness = Exactness::Exact;
  std::string domain;
  for (auto& a : report_.composition.applied)
    for (auto& c : report_.candidates)
      if (c.id == a.candidate) {
        exactness = std::max(exactness, c.exactness);
        if (!c.domain.empty()) domain += (domain.empty() ? "" : "; ") + c.domain;
      }
  return {{"before", moduleAt("")},
          {"after", moduleAt(after)},
          {"reference", moduleAt(baseFp64_)},
          {"inputs", ""},
          {"timing", timing},
          {"profile", timing},
          {"budgetSeconds", std::max(kLeastSeconds, options_.budgetSeconds * wholeShare())},
          {"domain", domain},
          {"exactness", word(exactness)}};
}

Verdict Campaign::compareWith(const std::filesystem::path& optimised) {
  if (!open()) return report_.whole;
  phase("whole");
  Json arguments = wholeArguments(std::filesystem::absolute(optimised).string(), /*timing=*/true);
  arguments["budgetSeconds"] = std::max(kLeastSeconds, options_.budgetSeconds * kWholeShare);
  return compareAndConfirm(kWholeVerdict, "comparing the two modules", arguments);
}

}  // namespace kadvise
