// What is said of a comment that suppresses nothing.
#pragma once

#include <optional>
#include <string>

#include "analyzer/core/catalogue.h"
#include "analyzer/core/json.h"
#include "analyzer/core/types.h"

namespace kadvise {

// unused: as kadvise-source sends it (messages.schema.json). Null for a rule that exists and was not looked
// for: another run may need the comment.
std::optional<Finding> unusedSuppression(const std::string& path, const Json& unused, const Catalogue&);

}  // namespace kadvise
