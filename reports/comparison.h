// Of `kadvise report OLD NEW`: what the newer of two runs lost and gained.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"
#include "reports/layout.h"

namespace kadvise {

struct RunChange {
  std::string kind;  // a regression: outputs-differ, lost-fusion, slower-whole, slower-kernel, slower-region,
                     // more-memory; a gain: the same turned round; a finding: its severity
  std::string rule;  // "" for none
  std::string what;  // of which replacement, kernel or finding, and where
  std::string before, after;  // in words, "" where that run has none
  std::string finding;        // its id, in the new run where that has it, else in the old one
  double lostUs = 0;  // a call, by which changes of a kind are ordered; negative: gained; 0: not known
};

struct RunComparison {
  std::string older, newer;          // the files
  std::vector<std::string> differs;  // in the circumstances: "device: NVIDIA H100 → NVIDIA H200"
  bool areTimesComparable = true;    // the same device, versions and inputs
  bool areTwoModules = false;        // then nothing but the whole is compared
  std::string whole;                 // what became of the module as a whole
  std::vector<RunChange> regressions, gains;
  std::vector<RunChange> found, fixed;  // findings of one run alone; equal layers are one
  std::size_t unchanged = 0;            // findings of both, counted as those are
};

// "2 regressions, 1 gain; findings: 1 new, 2 fixed, 40 unchanged"
std::string changeCounts(const RunComparison&);
Ink inkOf(const RunComparison&);
// "lost: add and LayerNorm in one kernel at encoder.layer.0, and 1 site alike  [fusion/add-layer-norm]"
std::string changeWords(const RunChange&);

void to_json(Json&, const RunChange&);
void from_json(const Json&, RunChange&);
void to_json(Json&, const RunComparison&);
void from_json(const Json&, RunComparison&);

}  // namespace kadvise
