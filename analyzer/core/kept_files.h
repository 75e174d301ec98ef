// Small files that a program keeps in one folder, which is opened once: no link leads out of it. Nothing here
// is an error; what cannot be read or written is as if it had not been kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kadvise {

// The folder, made when missing; false where it is a link, not the user's own, or others may write to it. The
// operators ask the same of theirs (kernels/common/own_files.h): their library includes nothing of kadvise,
// and is found by models alone.
bool isOwnFolder(const std::filesystem::path&);

class KeptFiles {
 public:
  KeptFiles() = default;  // of no folder
  // Of the user's cache: an absolute path to his own folder.
  static KeptFiles ofUser(const std::filesystem::path&);
  // Of a folder that the user names, made when missing, and then ignored by git. On the way of a relative
  // one, which may lead through the sources of others, there must be no link; of an absolute one the last
  // part must be none.
  static KeptFiles named(const std::filesystem::path&);

  KeptFiles(KeptFiles&&) noexcept;
  KeptFiles& operator=(KeptFiles&&) noexcept;
  ~KeptFiles();

  explicit operator bool() const { return folder_ >= 0; }
  // nullopt also for what is no regular file, or longer.
  std::optional<std::string> read(const std::string& name, std::size_t mostBytes) const;
  // Written beside and renamed, but not forced to the disk: what a crash loses is made again.
  void write(const std::string& name, std::string_view) const;
  // Where the files whose names end so are more than this, those unused for longest go, down to three
  // quarters. Looks at most once a day.
  void sweep(std::string_view ending, std::uintmax_t mostBytes) const;

 private:
  explicit KeptFiles(int folder) : folder_(folder) {}
  static KeptFiles ignoredWhereNew(int folder, bool isNew);
  int folder_ = -1;
};

}  // namespace kadvise
