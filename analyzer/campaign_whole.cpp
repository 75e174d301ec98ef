// The part of a campaign that puts the chosen replacements together and compares the whole module.
#include <algorithm>
#include <chrono>
#include <set>

#include "analyzer/campaign.h"
#include "analyzer/comparison.h"
#include "analyzer/finding_policy.h"
#include "analyzer/selection.h"

namespace kadvise {
namespace {

constexpr double kConfirmingShare = 0.4;  // of what the whole may take
constexpr int kMostCulprits = 5;          // each costs the comparison of the whole several times

using Clock = std::chrono::steady_clock;

bool isOnlyInexact(const Verdict& v) { return v.outcome == Outcome::WrongOutput && v.accuracy.rmsUlp > 0; }

}  // namespace

// Each is within its bounds where it stands; their errors add up. Where the sum is not within them, the less
// exact half stays out and the rest is tried. Where that ends at one that leaves the bounds by itself, it was
// that one: it stays out, and the others are tried without it.
std::optional<Composed> Campaign::proveWhole(std::vector<std::string> kept) {
  std::vector<Dropped> left = report_.composition.dropped;
  for (int culprits = 0;; ++culprits) {
    auto proof = proveLessAndLess(kept, left);
    if (proof.culprit.empty()) return proof.proven;
    kept = leaveOut(kept, {proof.culprit},
                    "in the whole module it leaves its bounds: " + report_.whole.reason, left);
    if (kept.empty() || culprits == kMostCulprits) return std::nullopt;
  }
}

Proof Campaign::proveLessAndLess(std::vector<std::string> kept, std::vector<Dropped> dropped) {
  while (auto composed = composeToProve(kept, dropped)) {
    compareWhole(*composed, options_.budgetSeconds * wholeShare());
    if (!isOnlyInexact(report_.whole)) return {composed, ""};
    if (kept.size() == 1) return {std::nullopt, kept[0]};
    auto out = lessExactHalf(kept);
    auto left = leaveOut(
        kept, out, "together with the others the module leaves its bounds: " + report_.whole.reason, dropped);
    if (out.empty() || left.empty()) return {};
    kept = left;
  }
  return {};
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

// What is left of a set, without those whose places only those that are left out would make.
std::vector<std::string> Campaign::leaveOut(std::vector<std::string> set, const std::vector<std::string>& out,
                                            const std::string& why, std::vector<Dropped>& dropped) const {
  for (auto& id : out) {
    dropped.push_back({id, why});
    std::erase(set, id);
  }
  auto left = withoutOrphans(report_.candidates, set);
  for (auto& id : set)
    if (std::find(left.begin(), left.end(), id) == left.end()) dropped.push_back({id, kOrphanWords});
  return left;
}

// Of those that change a bit at all; of equals, the one whose place others make before those.
std::vector<std::string> Campaign::lessExactHalf(const std::vector<std::string>& kept) const {
  std::vector<const Verdict*> order;
  for (auto& v : report_.verdicts)
    if (v.accuracy.rmsUlp > 0 && std::find(kept.begin(), kept.end(), v.candidate) != kept.end())
      order.push_back(&v);
  auto roundOf = [&](const Verdict* v) {
    auto c = std::find_if(report_.candidates.begin(), report_.candidates.end(),
                          [&](auto& x) { return x.id == v->candidate; });
    return c == report_.candidates.end() ? 1 : c->round;
  };
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) {
    return std::pair(a->accuracy.rmsUlp, roundOf(a)) > std::pair(b->accuracy.rmsUlp, roundOf(b));
  });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < (order.size() + 1) / 2; ++i) out.push_back(order[i]->candidate);
  return out;
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
  if (!open()) return report_.whole;
  phase("whole");
  return compareAndConfirm(kWholeVerdict, "comparing the two modules",
                           wholeArguments(std::filesystem::absolute(optimised).string(), report_.composition,
                                          options_.budgetSeconds * kWholeShare));
}

}  // namespace kadvise
