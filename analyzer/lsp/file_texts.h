// Texts of files on the disk, for places in them: read when they are needed, and again when they change.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "analyzer/lsp/text.h"

namespace kadvise::lsp {

class FileTexts {
 public:
  // Null for what cannot be read, or is very long. It lives until the next call.
  const Text* of(const std::filesystem::path&);

 private:
  struct Known {
    std::string stamp;
    std::optional<Text> text;
  };
  std::map<std::filesystem::path, Known> known_;
};

}  // namespace kadvise::lsp
