// How far outputs were off with each case of inputs, and how far they might have been.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise {

// Of the output that came nearest to its bound in the case; in units in the last place of the output's scale.
struct CaseErrors {
  std::string name;      // of the case: "inputs" is the batch itself
  std::string output;    // "output 1"; "" where nothing was judged
  std::string grade;     // as of Accuracy; "" where nothing was judged
  std::string unjudged;  // why the case says nothing; "" where it says something
  double rmsUlp = 0, p999Ulp = 0, maxUlp = 0;
  double rmsBound = 0, p999Bound = 0, maxBound = 0;  // infinite where there is none; 0 where all is bitwise
  double ofBound = 0;                                // the largest of the three, as a share of its bound
};

// The case that came nearest to its bound; nullptr where none has errors.
const CaseErrors* worstOf(const std::vector<CaseErrors>&);

void to_json(Json&, const CaseErrors&);
void from_json(const Json&, CaseErrors&);

}  // namespace kadvise
