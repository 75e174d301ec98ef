#include "kernels/common/own_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>

namespace kadvise {
namespace {

constexpr const char* kUnfinished = ".part";

// As kadvise asks of its own folders (analyzer/core/kept_files.h), which this library cannot: a model that
// was written loads it without kadvise. Of the folder that is open, since this one holds code.
bool isOwnFolder(int handle) {
  struct stat facts;
  return fstat(handle, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// A link that the user or the system made is followed.
bool isForeignLink(const std::string& path) {
  struct stat facts;
  if (lstat(path.c_str(), &facts) != 0 || !S_ISLNK(facts.st_mode)) return false;
  return facts.st_uid != geteuid() && facts.st_uid != 0;
}

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

OwnFolder::OwnFolder(const std::string& path) {
  if (path.empty() || isForeignLink(path)) return;
  const int handle = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) return;
  if (isOwnFolder(handle)) handle_ = handle;
  else close(handle);
}

OwnFolder::~OwnFolder() {
  if (handle_ >= 0) close(handle_);
}

bool makeOwnFolder(const std::string& path) {
  if (path.empty()) return false;
  std::error_code problem;
  const std::filesystem::path folder(path);
  if (std::filesystem::is_directory(folder, problem)) return true;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), problem);
  return mkdir(path.c_str(), 0700) == 0 || std::filesystem::is_directory(folder, problem);
}

std::optional<std::string> readOwnFile(const OwnFolder& folder, const std::string& name,
                                       std::uint64_t mostBytes) {
  if (folder.handle() < 0) return std::nullopt;
  const int file = openat(folder.handle(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  struct stat facts;
  const bool fits = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
                    static_cast<std::uint64_t>(facts.st_size) <= mostBytes;
  std::string bytes(fits ? static_cast<std::size_t>(facts.st_size) : 0, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  if (fits) futimens(file, nullptr);
  close(file);
  if (!fits || done != bytes.size()) return std::nullopt;
  return bytes;
}

bool writeOwnFile(const OwnFolder& folder, const std::string& name, std::string_view bytes) {
  if (folder.handle() < 0) return false;
  static std::atomic<unsigned> writes{0};
  const std::string part =
      name + "." + std::to_string(getpid()) + "-" + std::to_string(writes++) + kUnfinished;
  const int file =
      openat(folder.handle(), part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  bool whole = writeAll(file, bytes);
  whole = close(file) == 0 && whole;
  if (whole && renameat(folder.handle(), part.c_str(), folder.handle(), name.c_str()) == 0) return true;
  unlinkat(folder.handle(), part.c_str(), 0);
  return false;
}

std::vector<std::string> filesOf(int folder, std::string_view ending) {
  std::vector<std::string> names;
  const int handle = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = handle >= 0 ? fdopendir(handle) : nullptr;
  if (entries == nullptr) {
    if (handle >= 0) close(handle);
    return names;
  }
  while (const dirent* entry = readdir(entries)) {
    const std::string_view name = entry->d_name;
    const bool isPart = name.ends_with(kUnfinished) && name.find(ending) != std::string_view::npos;
    if (name.ends_with(ending) || isPart) names.emplace_back(name);
  }
  closedir(entries);
  return names;
}

}  // namespace kadvise
