#include "analyzer/largest_equal_set.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "analyzer/selection.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

constexpr const char* kGrades[] = {"bitwise", "one-ulp", "at-least-as-accurate"};

template <class T>
bool contains(const std::vector<T>& all, const T& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

template <class T>
const T* find(const std::vector<T>& all, std::string T::* key, const std::string& id) {
  auto it = std::find_if(all.begin(), all.end(), [&](auto& x) { return x.*key == id; });
  return it == all.end() ? nullptr : &*it;
}

struct Cost {
  std::ptrdiff_t grade = 0;
  double ulpPerUs = 0, rmsUlp = 0;
  int round = 1;  // what makes the place of another comes before it
  auto key() const { return std::tie(grade, ulpPerUs, rmsUlp, round); }
};

Cost costOf(const Candidate* c, const Verdict* v) {
  Cost out;
  if (c) out.round = c->round;
  if (!v || v->accuracy.rmsUlp <= 0) return out;
  out.grade = std::find(std::begin(kGrades), std::end(kGrades), v->accuracy.grade) - std::begin(kGrades);
  double saved = savedUs(*v, c ? c->findings.size() : 1);
  out.rmsUlp = v->accuracy.rmsUlp;
  out.ulpPerUs = saved > 0 ? out.rmsUlp / saved : std::numeric_limits<double>::infinity();
  return out;
}

class Growth {
 public:
  Growth(const Ids& all, const std::string& whyAllFail, const std::vector<Candidate>& candidates,
         const SetTrial& trial)
      : all_(all), whyAllFail_(whyAllFail), candidates_(candidates), trial_(trial) {}

  // Beside what is found, as much of the list as fits.
  void add(const Ids& list, const std::string& whyBeyond) {
    if (list.empty()) return;
    std::string why = whyBeyond.empty() ? tryWith(list) : whyBeyond;
    if (why.empty()) return;
    if (list.size() == 1)
      return leave(list, std::string(found_.empty() ? kBeyondAlone : kBeyondTogether) + ": " + why);
    auto half = list.begin() + static_cast<std::ptrdiff_t>((list.size() + 1) / 2);
    Ids better(list.begin(), half), worse(half, list.end());
    add(better, "");
    bool isAllIn = std::all_of(better.begin(), better.end(), [&](auto& id) { return contains(found_, id); });
    add(worse, isAllIn ? why : "");  // then both halves are what has just been tried
  }

  // Whose places were made only by what was found after them. One of them may make the place of another that
  // was tried before it.
  void addOrphans() {
    for (Ids list = orphans(), rest; !list.empty(); list = rest) {
      add(list, "");
      rest = orphans();
      if (rest.size() == list.size()) return;
    }
  }

  LargestSet result() {
    for (auto& id : orphans()) out_.left.push_back({id, kOrphanWords});
    out_.set = found_;
    return std::move(out_);
  }

 private:
  // "" when it fits, or is settled otherwise.
  std::string tryWith(const Ids& list) {
    Ids set;
    for (auto& id : all_)
      if (contains(found_, id) || contains(list, id)) set.push_back(id);
    set = withoutOrphans(candidates_, set);
    if (set == found_) return "";
    if (!trial_.hasTime(!found_.empty())) {
      leave(list, std::string(kUntriedWithFewer) + ": " + whyAllFail_);
      return "";
    }
    std::string why = trial_.whyBeyond(set);
    if (why.empty()) found_ = set;
    return why;
  }

  Ids orphans() const {
    Ids out;
    for (auto& id : all_)
      if (!contains(found_, id) && !find(out_.left, &Dropped::candidate, id)) out.push_back(id);
    return out;
  }

  void leave(const Ids& list, const std::string& why) {
    for (auto& id : list) out_.left.push_back({id, why});
  }

  const Ids& all_;
  const std::string& whyAllFail_;
  const std::vector<Candidate>& candidates_;
  const SetTrial& trial_;
  Ids found_;
  LargestSet out_;
};

}  // namespace

Ids leastCostFirst(Ids set, const std::vector<Candidate>& candidates, const std::vector<Verdict>& verdicts) {
  auto costs = [&](const std::string& id) {
    return costOf(find(candidates, &Candidate::id, id), find(verdicts, &Verdict::candidate, id));
  };
  std::stable_sort(set.begin(), set.end(), [&](auto& a, auto& b) { return costs(a).key() < costs(b).key(); });
  return set;
}

LargestSet largestEqualSet(const Ids& set, const std::string& whyBeyond,
                           const std::vector<Candidate>& candidates, const std::vector<Verdict>& verdicts,
                           const SetTrial& trial) {
  Growth growth(set, whyBeyond, candidates, trial);
  growth.add(leastCostFirst(set, candidates, verdicts), whyBeyond);
  growth.addOrphans();
  return growth.result();
}

std::vector<Ids> setsToProve(const LargestSet& found, const std::vector<Candidate>& candidates,
                             const std::vector<Verdict>& verdicts) {
  std::vector<Ids> out;
  auto add = [&](const Ids& chosen) {
    Ids set = withoutOrphans(candidates, chosen);
    if (!set.empty() && !contains(out, set)) out.push_back(set);
  };
  Ids best = leastCostFirst(found.set, candidates, verdicts), others;
  for (Ids set = found.set; !best.empty(); best.pop_back()) {
    add(set);
    std::erase(set, best.back());
  }
  for (auto& d : found.left)
    if (d.reason.starts_with(kBeyondTogether) || d.reason.starts_with(kUntriedWithFewer))
      others.push_back(d.candidate);
  for (auto& alone : {found.set, others})
    for (auto& id : leastCostFirst(alone, candidates, verdicts)) add({id});
  return out;
}

}  // namespace kadvise
