#include "analyzer/selection.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "analyzer/vouching.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

struct Option {
  const Candidate* candidate;
  double savedUs;
};

// Their places hold those of others, which do a part of the same.
constexpr std::string_view kTakeInOthers[] = {"fusion/parallel-convolutions"};

bool takesInOthers(const Option& o) {
  return std::find(std::begin(kTakeInOthers), std::end(kTakeInOthers), o.candidate->rule) !=
         std::end(kTakeInOthers);
}

bool contains(const std::vector<std::string>& list, const std::string& id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

std::string whyNotKept(const Verdict& v, Keep keep) {
  if (isPartOfWhole(v) && keep != Keep::Faster) return "";
  if (!outputsEqual(v)) return v.reason.empty() ? "its outputs were not found equal" : v.reason;
  if (keep == Keep::Equal || v.outcome == Outcome::Faster) return "";
  if (keep == Keep::Faster) return "it is not clearly faster in its region (--keep faster)";
  if (v.outcome == Outcome::Slower) return "it is slower in its region";
  if (v.outcome == Outcome::Ambiguous && !(v.speedup.mid >= 1))
    return "nothing shows that it is not slower in its region";
  return "";
}

Selection select(const std::vector<Candidate>& candidates, const std::vector<Verdict>& verdicts, Keep keep) {
  Selection out;
  std::vector<Option> options;
  for (auto& c : candidates) {
    auto v = std::find_if(verdicts.begin(), verdicts.end(), [&](auto& x) { return x.candidate == c.id; });
    if (v == verdicts.end()) continue;
    if (auto why = whyNotKept(*v, keep); !why.empty()) out.dropped.push_back({c.id, why});
    else options.push_back({&c, savedUs(*v, c.findings.size())});
  }
  std::stable_sort(options.begin(), options.end(), [](auto& a, auto& b) {
    if (a.savedUs != b.savedUs) return a.savedUs > b.savedUs;
    return a.candidate->level < b.candidate->level;  // the simpler one
  });
  std::stable_partition(options.begin(), options.end(), takesInOthers);

  std::map<std::string, const Option*> taken;  // finding -> who answers it
  for (auto& o : options) {
    auto& findings = o.candidate->findings;
    auto rival = std::find_if(findings.begin(), findings.end(), [&](auto& f) { return taken.count(f) != 0; });
    if (rival != findings.end()) {
      const Option& first = *taken[*rival];
      const char* saves = first.savedUs > o.savedUs ? "saves more" : "is used, and neither saves more";
      out.dropped.push_back({o.candidate->id, std::string("another replacement of the same place ") + saves +
                                                  " (" + first.candidate->id + ")"});
      continue;
    }
    for (auto& f : findings) taken[f] = &o;
    out.kept.push_back(o.candidate->id);
  }
  auto sound = withoutOrphans(candidates, out.kept);
  for (auto& id : out.kept)
    if (!contains(sound, id)) out.dropped.push_back({id, kOrphanWords});
  out.kept = sound;
  return out;
}

std::vector<std::string> withoutOrphans(const std::vector<Candidate>& candidates,
                                        std::vector<std::string> set) {
  auto isOrphan = [&](const std::string& id) {
    auto c = std::find_if(candidates.begin(), candidates.end(), [&](auto& x) { return x.id == id; });
    return c != candidates.end() && !c->follows.empty() &&
           std::none_of(c->follows.begin(), c->follows.end(), [&](auto& f) { return contains(set, f); });
  };
  for (auto it = set.begin(); it != set.end();) {
    if (!isOrphan(*it)) {
      ++it;
      continue;
    }
    set.erase(it);
    it = set.begin();  // another one may have followed it
  }
  return set;
}

}  // namespace kadvise
