// The part of a campaign that decides in which order candidates are measured, and what each may take.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyzer/campaign.h"
#include "analyzer/selection.h"
#include "analyzer/vouching.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

constexpr double kRegionsShare = 0.5;  // of what candidates may take, where whole regions are measured first

}  // namespace

// Changes of whole regions come first where there is time for all of them, since what they take in need not
// be measured by itself then; else last, since each costs a run of most of the module.
bool Campaign::regionsFirst() const {
  auto regions =
      std::count_if(report_.candidates.begin(), report_.candidates.end(), [](auto& c) { return c.ofRegion; });
  return static_cast<double>(regions) * wholeCheckSeconds_ <=
         kRegionsShare * options_.budgetSeconds * (1 - reservedShare());
}

// The largest estimated saving of every rule and kind of replacement first, then the second of each: when the
// budget ends, what is left out matters least, and others of its kind have been measured. Rules take turns
// since their estimates, of bytes, cannot be compared with a rule's that saves arithmetic or picks a better
// product. Of such a rule, what stands at most places comes first, and what is estimated to save nothing
// last.
std::vector<const Candidate*> Campaign::inMeasuringOrder(std::size_t first) const {
  std::map<std::string, double> bytesSaved;
  std::set<std::string> promising;
  for (auto& f : report_.findings) {
    if (f.estimate) bytesSaved[f.id] = f.estimate->bytesSaved;
    if (!promisesNothing(f)) promising.insert(f.id);
  }
  struct Place {
    const Candidate* candidate;
    bool isPromising;
    double bytes;
    int turn;  // how many of its rule and kind come before
  };
  std::vector<Place> order;
  for (std::size_t i = first; i < report_.candidates.size(); ++i) {
    const Candidate& c = report_.candidates[i];
    double bytes = 0;
    bool isPromising = false;
    for (auto& f : c.findings) {
      bytes += bytesSaved.count(f) ? bytesSaved[f] : 0;
      isPromising |= promising.count(f) != 0;
    }
    order.push_back({&c, isPromising, bytes, 0});
  }
  std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) {
    return std::tuple(a.isPromising, a.bytes, a.candidate->findings.size()) >
           std::tuple(b.isPromising, b.bytes, b.candidate->findings.size());
  });
  std::map<std::pair<std::string, std::string>, int> ofKind;
  for (auto& p : order) p.turn = ofKind[{p.candidate->rule, p.candidate->title}]++;
  std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.turn < b.turn; });
  std::vector<const Candidate*> out;
  for (auto& p : order) out.push_back(p.candidate);
  bool regions = regionsFirst();
  std::stable_partition(out.begin(), out.end(), [&](auto* c) { return c->ofRegion == regions; });
  return out;
}

// Candidates that are next and that others of their rule speak against go to the end of the order. Returns
// where that begins.
std::size_t Campaign::putOffHopeless(std::vector<const Candidate*>& order, std::size_t at,
                                     std::size_t end) const {
  auto next = order.begin() + static_cast<std::ptrdiff_t>(at);
  for (; end > at && isSpokenAgainst(*order[at], report_.candidates, report_.verdicts); --end)
    std::rotate(next, next + 1, order.end());
  return end;
}

// The change of a whole region that it is a part of and that is chosen, as far as is measured; nullptr for
// none.
const Candidate* Campaign::chosenAround(const Candidate& part) const {
  for (auto& c : report_.candidates) {
    if (std::count(c.parts.begin(), c.parts.end(), part.id) == 0) continue;
    auto chosen = select(report_.candidates, report_.verdicts, options_.keep).kept;
    if (std::count(chosen.begin(), chosen.end(), c.id) != 0) return &c;
  }
  return nullptr;
}

// Of the budget, for the candidate at that place of the measuring order, among those before the end.
double Campaign::shareOf(const std::vector<const Candidate*>& order, std::size_t at, std::size_t end,
                         double reservedSeconds) const {
  double left = budgetLeft_ - reservedSeconds;
  auto after = order.begin() + static_cast<std::ptrdiff_t>(at),
       last = order.begin() + static_cast<std::ptrdiff_t>(end);
  if (!order[at]->ofRegion || !regionsFirst()) return left / static_cast<double>(last - after);
  return left * kRegionsShare /
         static_cast<double>(std::count_if(after, last, [](auto* c) { return c->ofRegion; }));
}

}  // namespace kadvise
