#include "analyzer/core/kept_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/core/file.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr std::time_t kDay = 24 * 60 * 60;
constexpr const char* kSwept = ".swept";  // its time is that of the last sweep

// The folder below `from`, made when missing; closes `from`. -1 where it is a link or cannot be had.
int below(int from, const fs::path& name, bool& isNew) {
  isNew = ::mkdirat(from, name.c_str(), 0777) == 0;
  int out = ::openat(from, name.c_str(), kFolder | O_NOFOLLOW);
  ::close(from);
  return out;
}

struct Entry {
  timespec used;
  std::uintmax_t bytes;
  std::string name;
};

std::vector<Entry> entriesOf(int folder, std::string_view ending) {
  std::vector<Entry> out;
  int again = ::openat(folder, ".", kFolder);
  DIR* stream = again >= 0 ? ::fdopendir(again) : nullptr;
  if (!stream && again >= 0) ::close(again);
  if (!stream) return out;
  while (auto* entry = ::readdir(stream)) {
    struct stat facts{};
    std::string_view name = entry->d_name;
    bool isOne = name.ends_with(ending) && ::fstatat(folder, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0;
    if (isOne && S_ISREG(facts.st_mode))
      out.push_back({facts.st_mtim, static_cast<std::uintmax_t>(facts.st_size), std::string(name)});
  }
  ::closedir(stream);
  return out;
}

}  // namespace

bool isOwnFolder(const fs::path& folder) {
  if (folder.empty() || folder.is_relative()) return false;
  std::error_code ec;
  if (fs::create_directories(folder, ec)) ::chmod(folder.c_str(), S_IRWXU);
  struct stat facts{};
  if (::lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return false;
  return facts.st_uid == ::geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

KeptFiles KeptFiles::ofUser(const fs::path& folder) {
  return KeptFiles(isOwnFolder(folder) ? ::open(folder.c_str(), kFolder | O_NOFOLLOW) : -1);
}

KeptFiles KeptFiles::named(const fs::path& folder) {
  fs::path name = folder.lexically_normal();
  if (!name.has_filename()) name = name.parent_path();  // "results/"
  bool isNew = false;
  if (name.is_absolute()) {
    std::error_code ec;
    fs::create_directories(name.parent_path(), ec);
    int parent = ::open(name.parent_path().c_str(), kFolder);
    return ignoredWhereNew(parent >= 0 ? below(parent, name.filename(), isNew) : -1, isNew);
  }
  int at = ::open(".", kFolder);
  for (auto& part : name)
    if (at >= 0 && part != ".") at = below(at, part, isNew);
  return ignoredWhereNew(at, isNew);
}

KeptFiles KeptFiles::ignoredWhereNew(int folder, bool isNew) {
  KeptFiles out(folder);
  if (isNew) out.write(".gitignore", "*\n");
  return out;
}

KeptFiles::KeptFiles(KeptFiles&& o) noexcept : folder_(std::exchange(o.folder_, -1)) {}

KeptFiles& KeptFiles::operator=(KeptFiles&& o) noexcept {
  std::swap(folder_, o.folder_);
  return *this;
}

KeptFiles::~KeptFiles() {
  if (folder_ >= 0) ::close(folder_);
}

std::optional<std::string> KeptFiles::read(const std::string& name, std::size_t mostBytes) const {
  if (folder_ < 0) return std::nullopt;
  // Without waiting: somebody may have put a pipe there.
  int fd = ::openat(folder_, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  struct stat facts{};
  bool isOne = ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size >= 0 &&
               static_cast<std::uintmax_t>(facts.st_size) <= mostBytes;
  std::string out(isOne ? static_cast<std::size_t>(facts.st_size) : 0, '\0');
  std::size_t got = 0;
  while (got < out.size()) {
    auto n = ::read(fd, out.data() + got, out.size() - got);
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  if (isOne && facts.st_mtim.tv_sec < std::time(nullptr) - kDay) ::futimens(fd, nullptr);  // it is in use
  ::close(fd);
  return isOne && got == out.size() ? std::optional(std::move(out)) : std::nullopt;
}

void KeptFiles::write(const std::string& name, std::string_view text) const {
  if (folder_ < 0) return;
  std::string temporary = "." + name + "." + std::to_string(::getpid()) + ".tmp";
  ::unlinkat(folder_, temporary.c_str(), 0);  // of a process of this number that was stopped
  int fd = ::openat(folder_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  bool isWritten = writeAll(fd, text);
  isWritten &= ::close(fd) == 0;
  if (!isWritten || ::renameat(folder_, temporary.c_str(), folder_, name.c_str()) != 0)
    ::unlinkat(folder_, temporary.c_str(), 0);
}

void KeptFiles::sweep(std::string_view ending, std::uintmax_t mostBytes) const {
  if (folder_ < 0) return;
  struct stat last{};
  auto now = std::time(nullptr);
  if (::fstatat(folder_, kSwept, &last, AT_SYMLINK_NOFOLLOW) == 0 && last.st_mtim.tv_sec > now - kDay) return;
  write(kSwept, "");
  auto entries = entriesOf(folder_, ending);
  std::uintmax_t total = 0;
  for (auto& e : entries) total += e.bytes;
  if (total <= mostBytes) return;
  std::sort(entries.begin(), entries.end(), [](auto& a, auto& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) < std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  for (auto& e : entries) {
    if (total <= mostBytes / 4 * 3) return;
    if (::unlinkat(folder_, e.name.c_str(), 0) == 0) total -= e.bytes;
  }
}

}  // namespace kadvise
