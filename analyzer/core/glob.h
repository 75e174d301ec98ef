// Shell patterns over paths and module paths.
#pragma once

#include <string_view>

namespace kadvise {

// Paths of files, as gitignore and ruff read them: `*` and `?` stop at a slash, `**` does not; a pattern
// without a slash matches the last part of the path or one of its folders ("legacy", "*_test.py"); a pattern
// that matches a folder matches all below it.
bool pathMatches(std::string_view pattern, std::string_view path);

// Module paths ("encoder.layers.3.norm"): `*` is any text, dots too, and `?` any one character.
bool scopeMatches(std::string_view pattern, std::string_view scope);

}  // namespace kadvise
