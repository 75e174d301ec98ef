// What `kadvise bench OP` measures: one operator over shapes, against a plain copy in the same run.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/core/types.h"

namespace kadvise {

struct BenchRow {
  std::string inputs;  // "float32[4096,4096]", as they were made
  std::string schema;  // of the overload that ran
  Interval us;         // median of a call and its 95% interval
  double bytes = 0;    // of tensors read and written once: the least that has to be moved
  double bytesPerSecond = 0, shareOfCopy = 0;
  std::string refused;  // why there is no time
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BenchRow, inputs, schema, us, bytes, bytesPerSecond,
                                                shareOfCopy, refused)

struct Bench {
  std::string op;
  double copyBytes = 0, copyBytesPerSecond = 0;  // of the copy; both what is read and what is written count
  std::vector<BenchRow> rows;
  std::vector<std::string> notes;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Bench, op, copyBytes, copyBytesPerSecond, rows, notes)

}  // namespace kadvise
