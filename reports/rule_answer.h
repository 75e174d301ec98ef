// What a report of `kadvise why-not` says of one rule.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace kadvise {

// What the report has of one rule.
struct RuleAnswer {
  std::string rule;
  std::vector<const Finding*> found;
  std::vector<const Refusal*> refused;
  std::vector<const NearPlace*> near;
  std::string nothing;  // why there is neither a finding nor a refusal
};

// Those with findings first, then those that were refused, then by how near they come; the rest by name.
std::vector<RuleAnswer> answersByNearness(const Report&);

// "not found, refused at 2 places"
std::string headOf(const RuleAnswer&);

// More than half of the pattern is there.
bool isNear(const NearPlace&);

std::string words(const Mismatch&);

}  // namespace kadvise
