// A norm over the reduced dimensions of a row program, as statements.
#pragma once

#include <optional>

#include "analyzer/graph/row_writer.h"

namespace kadvise::graph {

struct NormTerms {
  RowTerm result, first, rest, scale;  // the mean is first + rest; scale: 1 / sqrt(variance + eps)
};

// (x - mean) * scale * weight + bias, of the biased variance. The mean of a row far from zero is rounded, and
// with it all that is left of the row: so what is centred is centred once more, in the pass that sums the
// squares. As exact as kadvise's own norms.
NormTerms normTerms(RowWriter&, const RowTerm& x, const std::optional<RowTerm>& weight,
                    const std::optional<RowTerm>& bias, double eps);

// The same by one reduction, for rows that are read again for each: as exact as ATen's norm.
RowTerm normByOneReduction(RowWriter&, const RowTerm& x, const std::optional<RowTerm>& weight,
                           const std::optional<RowTerm>& bias, double eps);

}  // namespace kadvise::graph
