// Text of other people in JSON that is shown, in a page or by a viewer of SARIF.
#pragma once

#include "analyzer/core/json.h"

namespace kadvise {

// All strings and keys visible() (core/utf8.h), but for what a tool is to write into a file as it is.
Json visibleJson(const Json&);

}  // namespace kadvise
