// Findings as SARIF 2.1.0: for code scanning, and editors that read it.
#pragma once

#include "reports/report.h"

namespace kadvise {

Json toSarif(const Report&);

}  // namespace kadvise
