// Names that every rule page may use in its matchers, beside those of Clang.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

using NamedMatchers = clang::ast_matchers::dynamic::Parser::NamedValueMap;

const NamedMatchers& vocabulary();

}  // namespace kadvise::source
