// What a verdict is worth, and the order in which advice is shown.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace kadvise {

// Whether the outputs were compared and found equal within their bound, whatever the time.
bool outputsEqual(const Verdict&);

// The median of one call in the warm regime (else of the first regime that was timed); 0 when nothing was
// timed.
double medianWallUs(const Measurement&);

// Wall time that one call of the whole module saves when all the sites are replaced; negative when it loses,
// 0 when no difference was shown.
double savedUs(const Verdict&, std::size_t sites);

// Regions of some rules bring along what makes their input, a mask say, which a call makes once for all of
// its sites: their time is not that of a site, times the sites.
bool sharesMakers(const std::string& rule);
std::size_t timesCounted(const std::string& rule, std::size_t sites);

// How a proposal ended, which decides the part of the report that it is shown in.
// Advised: equal, and faster (or slower or not timed, and kept by --keep equal), in a module that was shown
// to be equal too. NoClearGain: equal, and no difference in time was shown; it may be in the module all the
// same. PartOfAnother: done with the change of a whole region, which was measured in its place.
enum class Standing { Advised, NotMeasured, NoClearGain, NotUsed, Disproved, PartOfAnother };

// How the reason of a verdict begins that was not asked for, since another candidate takes its place in.
inline constexpr const char* kPartOf = "a part of ";

struct Advice {
  const Candidate* candidate = nullptr;
  const Verdict* verdict = nullptr;  // null when the candidate was never compared
  const Finding* finding = nullptr;  // of its first site; null when the report lacks it
  Standing standing = Standing::NotMeasured;
  double savedUs = 0;
  double estimatedUs = 0;  // from shapes alone, at all sites; orders only what was not timed
  std::string reason;      // why it is not advised
  std::size_t number = 0;  // by which the report calls it, from 1
  std::size_t sitesApplied = 0;
  std::size_t rival = 0;        // the number of an earlier item for some of the same places; 0: none
  std::size_t sharedSites = 0;  // with the rival
  bool isAlternative =
      false;  // the rival answers the same findings; else only lines of the source are the same
};

// A counter of the original's side: the GPU alone decided, without launches.
inline constexpr const char* kJudgedOnGpu = "judgedOnGpu";
bool isJudgedOnGpu(const Verdict&);

// Of one call of the original's region, by what the verdict was judged by; 0: not timed.
double regionUs(const Verdict&);

// Whether a comparison was cut short by the budget: not begun, or equal and then too few runs to judge.
bool ranOutOfBudget(const Verdict&);

// Every candidate: what is advised first, then by measured time saved, else by the estimate; equal figures
// keep the report's order.
std::vector<Advice> rankedAdvice(const Report&);

// Whether its own estimate is a loss, or less than can be measured. Exactly nothing is no such promise.
bool promisesNothing(const Finding&);

// Wall time that the estimate promises at all of a finding's sites; 0 without one, and where that is nothing.
double estimatedUs(const Finding&, std::size_t sites);

// Whether nothing was compared, so that estimates are all there is.
bool isUnverified(const Report&);

// Findings that no candidate speaks for: graph breaks and what is shown only. By severity, then by the
// estimate.
std::vector<const Finding*> unproposedFindings(const Report&);

}  // namespace kadvise
