#include "analyzer/search.h"

#include <algorithm>

#include "analyzer/core/least_gain.h"
#include "analyzer/judged_on_gpu.h"
#include "analyzer/selection.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

// A region that is slower than this alone will not pay in company either.
constexpr double kNearlyAsFast = 0.9;
// A gain that is smaller may be lost, or turn, when other code stands around the region.
constexpr double kSmallGain = 1.05;
// On the GPU alone, with cold and with hot caches.
constexpr double kSlowerOnGpu = 0.97;
// What a trial may take of what is left, so that a few can follow it.
constexpr double kTrialShare = 0.34;

bool contains(const Ids& set, const std::string& id) {
  return std::find(set.begin(), set.end(), id) != set.end();
}

struct Item {  // an equal candidate
  const Candidate* candidate;
  const Verdict* verdict;
  double regionUs;  // of all its sites, in one call of the original
};

std::vector<Item> equalItems(const Measured& m) {
  std::vector<Item> out;
  for (auto& c : m.candidates) {
    auto v = std::find_if(m.verdicts.begin(), m.verdicts.end(), [&](auto& x) { return x.candidate == c.id; });
    if (v == m.verdicts.end() || !outputsEqual(*v)) continue;
    out.push_back({&c, &*v, regionUs(*v) * static_cast<double>(c.findings.size())});
  }
  return out;
}

bool sharePlaces(const Candidate& a, const Candidate& b) {
  return std::any_of(a.findings.begin(), a.findings.end(), [&](auto& f) { return contains(b.findings, f); });
}

bool isSlowerOnGpu(const Verdict& v) {
  auto alone = speedupOnGpu(v);
  return alone && alone->high < kSlowerOnGpu;
}

class Trials {
 public:
  Trials(const CurrentSet& set, const Measured& m)
      : current_(set.ids), crowdedOut_(set.crowdedOut), m_(m), items_(equalItems(m)) {
    // The largest region says the most about the whole.
    std::stable_sort(items_.begin(), items_.end(), [](auto& a, auto& b) { return a.regionUs > b.regionUs; });
  }

  std::vector<Trial> all() {
    addOnlyFaster();
    if (m_.keep == Keep::NotSlower) addAllEqual();
    for (auto& item : items_) {
      auto& id = item.candidate->id;
      if (!isLargeEnough(item)) continue;
      if (contains(crowdedOut_, id)) addFirst(id);
      contains(current_, id) ? addWithout(item) : addInstead(item);
    }
    return std::move(trials_);
  }

 private:
  // What a set is compared with can show no less than kLeastGain of a call.
  bool isLargeEnough(const Item& item) const { return item.regionUs >= kLeastGain * m_.wholeUs; }
  static bool isFaster(const Item& item) { return item.verdict->outcome == Outcome::Faster; }

  bool isFreeIn(const Ids& set, const Candidate& c) const {
    return std::none_of(m_.candidates.begin(), m_.candidates.end(),
                        [&](auto& x) { return contains(set, x.id) && sharePlaces(x, c); });
  }

  void add(const std::string& tried, Ids set) {
    set = withoutOrphans(m_.candidates, std::move(set));
    bool isKnown = set.empty() || set == current_ ||
                   std::any_of(trials_.begin(), trials_.end(), [&](auto& t) { return t.set == set; });
    if (!isKnown) trials_.push_back({tried, std::move(set)});
  }

  void addOnlyFaster() {
    Ids set;
    for (auto& id : current_)
      for (auto& item : items_)
        if (item.candidate->id == id && isFaster(item)) set.push_back(id);
    add("only what is clearly faster alone", set);
  }

  void addAllEqual() {
    Ids set = current_;
    for (auto& item : items_)
      if (item.verdict->speedup.mid >= kNearlyAsFast && isFreeIn(set, *item.candidate))
        set.push_back(item.candidate->id);
    add("also what is equal and not faster alone", set);
  }

  // Regions of different rules overlap: who is applied first takes the place.
  void addFirst(const std::string& id) {
    Ids set = current_;
    std::erase(set, id);
    set.insert(set.begin(), id);
    add("first one that others left too few places", set);
  }

  void addWithout(const Item& item) {
    if (isFaster(item) && item.verdict->speedup.low >= kSmallGain) return;
    Ids set = current_;
    std::erase(set, item.candidate->id);
    add("without one that gains little alone", set);
  }

  // Where the intervals of two replacements of a place overlap, their regions do not say which is better.
  void addInstead(const Item& item) {
    if (m_.keep == Keep::Faster && !isFaster(item)) return;
    Ids set = current_;
    bool isClose = false;
    for (auto& other : items_) {
      if (!contains(current_, other.candidate->id) || !sharePlaces(*other.candidate, *item.candidate))
        continue;
      isClose = isClose || item.verdict->speedup.high >= other.verdict->speedup.low;
      std::erase(set, other.candidate->id);
    }
    if (!isClose) return;
    set.push_back(item.candidate->id);
    add("the other replacement of a place", set);
  }

  const Ids &current_, &crowdedOut_;
  const Measured& m_;
  std::vector<Item> items_;
  std::vector<Trial> trials_;
};

}  // namespace

std::vector<Trial> trialsAgainst(const CurrentSet& set, const Measured& m) {
  if (m.keep == Keep::Equal) return {};  // all that is equal is wanted, faster or not
  return Trials(set, m).all();
}

std::optional<Trial> trialInGraphs(const CurrentSet& current, const Measured& m) {
  Ids set = current.ids;
  for (auto& v : m.verdicts)
    if (isSlowerOnGpu(v)) std::erase(set, v.candidate);
  set = withoutOrphans(m.candidates, std::move(set));
  if (m.keep == Keep::Equal || set.size() == current.ids.size()) return std::nullopt;
  return Trial{"in CUDA graphs, without what is slower on the GPU alone", set};
}

double secondsForTrial(double leftSeconds, double budgetSeconds) {
  double left = leftSeconds - kProofShare * budgetSeconds;
  return left < kLeastTrialSeconds ? 0 : std::max(kLeastTrialSeconds, left * kTrialShare);
}

double secondsOfShare(double share, double sharesThatFollow, double leftSeconds, double budgetSeconds) {
  double all = (share + sharesThatFollow) * budgetSeconds;
  return share * budgetSeconds * std::clamp(leftSeconds / all, 0.0, 1.0);
}

std::string decisionOn(const Verdict& v) {
  std::string why = v.reason.empty() ? "" : " (" + v.reason + ")";
  switch (v.outcome) {
    case Outcome::Faster:
      return "taken: clearly faster";
    case Outcome::Slower:
      return "not taken: clearly slower";
    case Outcome::Same:
      return "not taken: no difference";
    case Outcome::Ambiguous:
      return "not taken: no clear difference";
    case Outcome::WrongOutput:
      return "not taken: its outputs are beyond the bounds" + why;
    case Outcome::Failed:
      return "not taken: it could not be measured" + why;
    case Outcome::NotRun:
      return "not tried" + why;
  }
  return "";
}

}  // namespace kadvise
