// By what a finding in a source is known again in the next run: its rule, the file's name as the user has it,
// the function and the text of the line, not the line's number or indentation.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/types.h"

namespace kadvise {

// Sets the ids of the findings of one file, in their order. file: the name that they are to have.
void identify(std::vector<Finding>&, const std::string& file);

}  // namespace kadvise
