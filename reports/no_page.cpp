// Stands in for the generated page where Node was missing.
#include "reports/page.h"

namespace kadvise {
std::string pageTemplate() { return {}; }
}  // namespace kadvise
