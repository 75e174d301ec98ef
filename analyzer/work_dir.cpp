#include "analyzer/work_dir.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kBegin = "kadvise-", kPattern = "XXXXXX";
constexpr const char* kLock = ".lock";

bool isNameOfWorkDir(std::string_view name) {
  return name.size() == kBegin.size() + kPattern.size() && name.starts_with(kBegin) &&
         std::all_of(name.begin() + kBegin.size(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0; });
}

// The file that a living process holds locked; -1 where there is none, or the folder is not ours.
int openLock(const fs::path& folder, int flags) {
  int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (at < 0) return -1;
  struct stat of = {};
  bool isOurs = ::fstat(at, &of) == 0 && of.st_uid == ::geteuid();
  int out = isOurs ? ::openat(at, kLock, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600) : -1;
  ::close(at);
  return out;
}

// Of runs that were killed: their locks went with them.
void removeLeftOvers(const fs::path& parent) {
  std::error_code ec, ignored;
  for (fs::directory_iterator at(parent, ec), end; !ec && at != end; at.increment(ec)) {
    if (!isNameOfWorkDir(at->path().filename().native())) continue;
    int lock = openLock(at->path(), 0);
    if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0) fs::remove_all(at->path(), ignored);
    if (lock >= 0) ::close(lock);
  }
}

// False when somebody who removes left-overs came between the folder and its lock.
bool isLocked(const fs::path& folder, int lock) {
  std::error_code ec;
  return (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
         fs::is_directory(folder, ec);
}

}  // namespace

WorkDir::WorkDir(const fs::path& wanted) {
  std::error_code ec;
  if (!wanted.empty()) {
    fs::create_directories(wanted, ec);
    path_ = fs::absolute(wanted, ec);
    kept_ = true;
    if (!fs::is_directory(path_)) throw Error(wanted.string(), "cannot be used as the work folder");
    return;
  }
  fs::path parent = fs::temp_directory_path(ec);
  if (ec) throw Error("$TMPDIR", "is not a folder: " + ec.message());
  removeLeftOvers(parent);
  do {
    if (lock_ >= 0) ::close(lock_);
    std::string pattern = (parent / (std::string(kBegin) += kPattern)).string();
    if (!::mkdtemp(pattern.data()))
      throw Error(parent.string(), std::string("no work folder can be made there: ") + std::strerror(errno));
    path_ = pattern;
    lock_ = openLock(path_, O_CREAT);
  } while (!isLocked(path_, lock_));
}

WorkDir::~WorkDir() {
  std::error_code ignored;
  if (!kept_) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace kadvise
