#include "reports/lost_fusions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reports/rule_answer.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

// Of one rule's replacement, over all its candidates.
struct Use {
  std::size_t sites = 0;
  double savedUs = 0;
  std::vector<const Finding*> places;
};
using Uses = std::map<std::pair<std::string, std::string>, Use>;  // by rule and replacement

const Finding* findingNamed(const Report& r, const std::string& id) {
  auto it = std::find_if(r.findings.begin(), r.findings.end(), [&](auto& f) { return f.id == id; });
  return it == r.findings.end() ? nullptr : &*it;
}

Uses usesIn(const Report& r) {
  Uses out;
  for (auto& a : rankedAdvice(r)) {
    if (!a.sitesApplied) continue;
    auto& use = out[{a.candidate->rule, a.candidate->title}];
    use.sites += a.sitesApplied;
    use.savedUs += a.savedUs;
    for (auto& id : a.candidate->findings)
      if (auto* f = findingNamed(r, id)) use.places.push_back(f);
  }
  return out;
}

// Done in the other run with the change of a whole region.
std::set<std::string> takenIn(const Report& r) {
  std::set<std::string> out;
  for (auto& a : rankedAdvice(r))
    if (a.standing == Standing::PartOfAnother)
      out.insert(a.candidate->findings.begin(), a.candidate->findings.end());
  return out;
}

// The first place that the other run does not have among its own; the first of all where it has them all.
const Finding* firstLost(const Use& old, const Use* now) {
  std::set<std::string> there;
  if (now)
    for (auto* f : now->places) there.insert(f->id);
  auto it = std::find_if(old.places.begin(), old.places.end(), [&](auto* f) { return !there.count(f->id); });
  if (it != old.places.end()) return *it;
  return old.places.empty() ? nullptr : old.places.front();
}

bool isAt(const Refusal& r, const Location& where) {
  return r.where.scope == where.scope && r.where.line == where.line;
}

bool isRefusedIn(const Report& r, const Refusal& same) {
  return std::any_of(r.refused.begin(), r.refused.end(),
                     [&](auto& x) { return x.rule == same.rule && isAt(x, same.where); });
}

// What the run says of the rule where it does not replace: of this very place first. What the older run
// refused, too, is about another place.
std::string whyNot(const Report& old, const Report& r, const std::string& rule, const Finding* place) {
  const Refusal* other = nullptr;
  for (auto& x : r.refused) {
    if (x.rule != rule) continue;
    if (place && isAt(x, place->where)) return "refused: " + words(x.mismatch);
    if (!other && !isRefusedIn(old, x)) other = &x;
  }
  for (auto& a : rankedAdvice(r))
    if (a.candidate->rule == rule && !a.sitesApplied && !a.reason.empty()) return a.reason;
  if (other) return "refused: " + words(other->mismatch);
  for (auto& n : r.notApplicable)
    if (n.rule == rule) return "not found: " + n.reason;
  return "";
}

}  // namespace

std::vector<RunChange> lostFusions(const Report& old, const Report& fresh) {
  std::vector<RunChange> out;
  auto now = usesIn(fresh);
  auto taken = takenIn(fresh);
  for (auto& [key, use] : usesIn(old)) {
    auto it = now.find(key);
    std::size_t left = it == now.end() ? 0 : it->second.sites;
    auto* place = firstLost(use, it == now.end() ? nullptr : &it->second);
    if (left >= use.sites || (place && taken.count(place->id))) continue;
    std::size_t lost = use.sites - left;
    auto why = whyNot(old, fresh, key.first, place);
    out.push_back(
        {"lost-fusion", key.first, key.second + (place ? " at " + siteWords(place->where, lost) : ""),
         plural(use.sites, "site"), plural(left, "site") + (why.empty() ? "" : "; " + why),
         place ? place->id : "", use.savedUs * static_cast<double>(lost) / static_cast<double>(use.sites)});
  }
  return out;
}

std::set<std::string> findingsOfLostFusions(const Report& old, const Report& fresh) {
  std::set<std::string> out;
  auto now = usesIn(fresh);
  for (auto& [key, use] : usesIn(old)) {
    auto it = now.find(key);
    if (it != now.end() && it->second.sites >= use.sites) continue;
    for (auto* f : use.places) out.insert(f->id);
  }
  return out;
}

RunChange turnedRound(RunChange c) {
  c.kind = "new-fusion";
  std::swap(c.before, c.after);
  c.before = c.before.substr(0, c.before.find(';'));  // why the older run did not is of no interest now
  c.lostUs = -c.lostUs;
  return c;
}

}  // namespace kadvise
