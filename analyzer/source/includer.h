// Sources that are only parts of others: a kernel.cu that main.cu includes uses what stands before that line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kadvise::source {

struct TextBefore {
  std::filesystem::path includer;
  std::filesystem::path file;  // a name beside the includer that the text goes by; no such file is there
  std::string text;            // of the includer, up to the line
};

// Looks among the sources of the file's folder and of the next above; nullopt when none includes it.
std::optional<TextBefore> textBefore(const std::filesystem::path& file);

}  // namespace kadvise::source
