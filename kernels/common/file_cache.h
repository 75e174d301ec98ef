// What was dear to compute, kept in files across processes: a value by its key.
//
// Nothing here is an error. A folder that is missing, full, not writable or not the user's own, and an entry
// that is short, changed or another key's, are as if nothing had been kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kadvise {

// $KADVISE_CACHE_DIR, else $XDG_CACHE_HOME/kadvise, else ~/.cache/kadvise. Empty where KADVISE_CACHE_DIR is
// set and empty, or there is no home: nothing is kept then.
std::string cacheFolder();

class FileCache {
 public:
  // The entries of one kind are the files FOLDER/*.KIND, in all at most `mostBytes`; those used longest ago
  // go.
  FileCache(std::string folder, std::string kind, std::uint64_t mostBytes);

  std::optional<std::string> read(std::string_view key) const;
  void write(std::string_view key, std::string_view value);

  // The file of a key, for tests and messages.
  std::string fileOf(std::string_view key) const;

 private:
  void dropOldest(int folder) const;

  std::string folder_, kind_;
  std::uint64_t mostBytes_;
  std::atomic<std::uint64_t> unswept_{0};  // bytes written since the folder was last looked over
};

}  // namespace kadvise
