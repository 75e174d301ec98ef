// Precompiled headers, kept in the user's cache folder between runs: reading LibTorch's headers takes
// seconds, loading them a quarter of one.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "analyzer/source/arguments.h"

namespace kadvise::source {

class Preloads {
 public:
  // folder: "" for none. It is left alone where it is not the user's own.
  explicit Preloads(std::filesystem::path folder);

  // The precompiled header for the file, made where it is missing, stale or damaged; "" to go without: none
  // fits, another process is making one, or making it failed before. Its text is that of preloadFor.
  std::filesystem::path find(const ParseRequest&, const ClangArguments&, const std::string& text);
  // Clang did not take it: it is not offered again, here or to others.
  void drop(const std::filesystem::path&);

  // The name that its text goes by; whoever loads it must show Clang the same text there.
  static std::filesystem::path textFile(const ParseRequest&);

 private:
  std::filesystem::path make(const ParseRequest&, const ClangArguments&, const std::string& text,
                             const std::string& key);

  std::filesystem::path folder_;
  struct Known {
    std::filesystem::path header;
    bool isMadeAgain = false;
  };
  std::map<std::string, Known> known_;  // by key, of this process
};

}  // namespace kadvise::source
