// A precompiled header on the disk and the list beside it, which says what it was made of and how it looks
// when whole.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace kadvise::source {

// Whether the header is as it was written, and so are the files that it was made of.
bool isWhole(const std::filesystem::path& header);

// Gives the written temporary file its name and its list; false when that could not be done.
bool commitPreload(const std::filesystem::path& temporary, const std::filesystem::path& header,
                   const std::set<std::string>& madeOf);

void removePreload(const std::filesystem::path& header);

// Marks it as used now, and removes those that were not used for longest.
void touchPreload(const std::filesystem::path& header);
void removeOldPreloads(const std::filesystem::path& folder);

// One process at a time makes headers in a folder.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);  // does not wait
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace kadvise::source
