// A norm over the reduced dimensions of a row program, as statements.
#pragma once

#include <optional>

#include "analyzer/graph/row_writer.h"

namespace kadvise::graph {

// (x - mean) / sqrt(variance + eps) * weight + bias, of biased variance.
RowTerm normTerm(RowWriter&, const RowTerm& x, const std::optional<RowTerm>& weight,
                 const std::optional<RowTerm>& bias, double eps);

}  // namespace kadvise::graph
