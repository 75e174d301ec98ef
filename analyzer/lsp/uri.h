// file: URIs and paths.
#pragma once

#include <filesystem>
#include <string>

namespace kadvise::lsp {

// "" for a URI of another scheme, or one that is none.
std::filesystem::path pathOf(const std::string& uri);
std::string uriOf(const std::filesystem::path&);

}  // namespace kadvise::lsp
