// Cases of other shapes. Which dimensions belong together is not known, so dimensions of equal size change
// together, over all inputs; what the original then refuses was no question.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/inputs.h"

namespace kadvise {

struct ShapeChange {
  std::int64_t from = 0, to = 0;
  bool firstOnly = false;  // only the first dimension of each input: the batch
};

// One more, one, a prime, none, one less, and many, for each size that occurs; the likeliest to be met first.
std::vector<ShapeChange> shapeChanges(const Values& batch);

std::string nameOf(const ShapeChange&);  // "size 64 as 65", "first dimension 8 as 9"
// Whether in a case of this name an index may be out of range: positions that the module counts itself go
// beyond a table's end, or a table is empty.
bool mayLeaveTables(const std::string& caseName);
bool changesShapes(const std::string& caseName);

// Contiguous inputs. Floating values are drawn anew; masks and integers repeat those of the batch, so that
// every index stays in range.
Values withShape(const ShapeChange&, const Values& batch);

}  // namespace kadvise
