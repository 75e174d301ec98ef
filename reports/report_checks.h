// What a report must hold to be read: it may come from anywhere.
#pragma once

#include "reports/report.h"

namespace kadvise {

// Both throw Error, without a file.
void requireAll(const Json&);         // that schema.json requires
void requirePossible(const Report&);  // figures that a measurement can have

}  // namespace kadvise
