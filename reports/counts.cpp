#include "reports/counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/baseline.h"
#include "reports/found_rows.h"
#include "reports/grouping.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

// As a page begins the refusal of what only looks like its places: an ordinary convolution to a rule about
// patches.
constexpr const char* kNoPlace = "is no place for this rule";

void count(Counts& c, const Item& item) {
  switch (item.advice.standing) {
    case Standing::Advised:
      ++c.advised;
      break;
    case Standing::NotMeasured:
      ++c.notMeasured;
      break;
    case Standing::NoClearGain:
      ++c.noClearGain;
      break;
    case Standing::NotUsed:
    case Standing::Disproved:
      ++c.notAdvised;
      break;
    case Standing::PartOfAnother:
      ++c.partOfAnother;
  }
}

void add(std::string& out, std::size_t n, const char* words) {
  if (n) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, words);
}

}  // namespace

bool isNoPlace(const Refusal& r) { return r.mismatch.reason.starts_with(kNoPlace); }

Counts countsOf(const Report& r) {
  Counts out;
  out.findings = r.findings.size();
  for (auto& item : groupedAdvice(r)) count(out, item);
  for (auto& a : r.composition.applied) out.sites += static_cast<std::size_t>(a.sites);
  for (auto& a : rankedAdvice(r))
    out.appliedWithin += a.standing == Standing::PartOfAnother && a.sitesApplied > 0;
  out.byHand = foundRows(unproposedFindings(r)).size();
  out.refused = static_cast<std::size_t>(
      std::count_if(r.refused.begin(), r.refused.end(), [](auto& x) { return !isNoPlace(x); }));
  out.notApplicable = r.notApplicable.size();
  for (auto& f : r.findings) out.known += isKnown(r, f.id);
  out.suppressed = r.suppressed.size();
  return out;
}

void to_json(Json& j, const Counts& c) {
  j = {{"findings", c.findings},
       {"advised", c.advised},
       {"sites", c.sites},
       {"appliedWithin", c.appliedWithin},
       {"notMeasured", c.notMeasured},
       {"noClearGain", c.noClearGain},
       {"notAdvised", c.notAdvised},
       {"partOfAnother", c.partOfAnother},
       {"byHand", c.byHand},
       {"refused", c.refused},
       {"notApplicable", c.notApplicable},
       {"known", c.known},
       {"suppressed", c.suppressed}};
}

std::string countWords(const Report& r) {
  Counts c = countsOf(r);
  std::string out;
  add(out, c.advised, "advised");
  add(out, c.notMeasured, "not measured");
  add(out, c.byHand, "to change by hand");
  add(out, c.noClearGain, "without clear gain");
  add(out, c.notAdvised, "not advised");
  add(out, c.suppressed, "suppressed");
  if (out.empty() && c.refused + c.notApplicable == 0) return "";
  out = out.empty() ? "nothing found" : "found: " + out;
  if (c.refused) out += "; " + plural(c.refused, "place") + " refused";
  if (c.notApplicable) out += "; " + plural(c.notApplicable, "rule") + " not applicable";
  return out;
}

}  // namespace kadvise
