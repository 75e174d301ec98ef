// How much of what a run found, by how it ended: the same figures in every form of the report.
#pragma once

#include <cstddef>
#include <string>

#include "reports/report.h"

namespace kadvise {

struct Counts {
  std::size_t findings = 0;            // places, each by itself; an item of the report stands for equal ones
  std::size_t advised = 0, sites = 0;  // items, and the places at which they are in the optimised module
  std::size_t appliedWithin = 0;  // replacements that a larger one took in, and that were not measured alone
  std::size_t notMeasured = 0, noClearGain = 0, notAdvised = 0, partOfAnother = 0;  // items
  std::size_t byHand = 0;                 // rows of findings without a proposal
  std::size_t refused = 0;                // places
  std::size_t notApplicable = 0;          // rules
  std::size_t known = 0, suppressed = 0;  // findings
};

Counts countsOf(const Report&);
void to_json(Json&, const Counts&);

// "found: 4 advised, 2 to change by hand, 1 without clear gain; 1 place refused; 9 rules not applicable"; ""
// where no rule came to look.
std::string countWords(const Report&);

// Whether a refusal is of what only looks like a place of its rule: shown with -v alone, and not counted.
bool isNoPlace(const Refusal&);

}  // namespace kadvise
