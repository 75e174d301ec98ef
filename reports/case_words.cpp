#include "reports/case_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/sections.h"

namespace kadvise {
namespace {

constexpr const char* kGiven = "inputs";  // the case of the user's own batch

struct Figure {
  const char* name;
  double error, bound;
  double ofBound() const { return std::isfinite(bound) && bound > 0 ? error / bound : 0; }
};

// The one that came nearest.
Figure decidingOf(const CaseErrors& c) {
  Figure out{"max error", c.maxUlp, c.maxBound};
  for (Figure other :
       {Figure{"rms error", c.rmsUlp, c.rmsBound}, {"99.9 % of errors", c.p999Ulp, c.p999Bound}})
    if (other.ofBound() > out.ofBound()) out = other;
  return out;
}

std::string worstWords(const CaseErrors& c) {
  Figure f = decidingOf(c);
  std::string of = c.output == "output 0" ? "" : " (" + c.output + ")";
  std::string inputs = c.name == kGiven ? "the inputs that were given" : "inputs “" + c.name + "”";
  return fmt::format("nearest to its bound with {}{}: {} {:.3g} ulp of {:.3g} allowed ({:.0f} %){}", inputs,
                     of, f.name, f.error, f.bound, 100 * f.ofBound(),
                     c.grade == "one-ulp" ? ", each number within one unit of its own" : "");
}

}  // namespace

std::string caseWords(const Report& r, const std::string& candidate) {
  auto found = r.caseErrors.find(candidate);
  if (found == r.caseErrors.end()) return "";
  auto& cases = found->second;
  auto judged = std::count_if(cases.begin(), cases.end(), [](auto& c) { return !c.grade.empty(); });
  auto equal = std::count_if(cases.begin(), cases.end(), [](auto& c) { return c.grade == "bitwise"; });
  if (judged == 0) return "";
  auto* worst = worstOf(cases);
  std::string bits =
      equal == judged ? fmt::format("every bit equal in {}", plural(static_cast<std::size_t>(judged), "case"))
      : equal > 0     ? fmt::format("every bit equal in {} of {} cases", equal, judged)
                      : "";
  if (!worst) return bits;
  return worstWords(*worst) + (bits.empty() ? "" : "; ") + bits;
}

}  // namespace kadvise
