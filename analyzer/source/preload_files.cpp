#include "analyzer/source/preload_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/source/clang.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFirstLine = "kadvise precompiled header 1";
constexpr std::size_t kBlockBytes = 1u << 20, kListBytes = 8u << 20;
constexpr std::size_t kMostHeaders = 8;  // with LibTorch's 130 MB each
constexpr auto kOldTemporary = std::chrono::hours(24);

fs::path listOf(const fs::path& header) { return fs::path(header).replace_extension(".list"); }

std::string stampOf(const std::string& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return "";
  return std::to_string(facts.st_size) + ":" + std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec);
}

// In blocks, so that a large header is not in memory twice; "" when it cannot be read.
std::string checksumOf(const fs::path& file) {
  int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return "";
  std::vector<std::uint8_t> block(kBlockBytes);
  std::uint64_t sum = 0, size = 0;
  ssize_t got = 0;
  while ((got = ::read(fd, block.data(), block.size())) > 0) {
    auto hash = llvm::xxh3_64bits(llvm::ArrayRef<std::uint8_t>(block.data(), static_cast<std::size_t>(got)));
    sum = sum * 1099511628211ull ^ hash;
    size += static_cast<std::uint64_t>(got);
  }
  ::close(fd);
  return got < 0 ? "" : std::to_string(size) + " " + std::to_string(sum);
}

}  // namespace

bool isWhole(const fs::path& header) {
  try {
    std::istringstream list(readFile(listOf(header), kListBytes));
    std::string line;
    if (!std::getline(list, line) || line != kFirstLine) return false;
    if (!std::getline(list, line) || line.empty()) return false;
    std::string checksum = line;
    while (std::getline(list, line)) {
      auto space = line.find(' ');
      if (space == std::string::npos || stampOf(line.substr(space + 1)) != line.substr(0, space))
        return false;
    }
    return checksumOf(header) == checksum;
  } catch (const Error&) {
    return false;
  }
}

bool commitPreload(const fs::path& temporary, const fs::path& header, const std::set<std::string>& madeOf) {
  std::string checksum = checksumOf(temporary);
  std::string list = std::string(kFirstLine) + "\n" + checksum + "\n";
  for (auto& file : madeOf) list += stampOf(file) + " " + file + "\n";
  std::error_code ec;
  if (!checksum.empty()) fs::rename(temporary, header, ec);
  if (checksum.empty() || ec) return false;
  try {
    writeFile(listOf(header), list);  // last: without it the header counts as damaged
    return true;
  } catch (const Error&) {
    return false;
  }
}

void removePreload(const fs::path& header) {
  std::error_code ec;
  fs::remove(listOf(header), ec), fs::remove(header, ec);
}

void touchPreload(const fs::path& header) {
  std::error_code ec;
  fs::last_write_time(listOf(header), fs::file_time_type::clock::now(), ec);
}

void removeOldPreloads(const fs::path& folder) {
  std::error_code ec;
  std::vector<std::pair<fs::file_time_type, fs::path>> headers;
  auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    std::error_code gone;
    auto time = fs::last_write_time(at->path(), gone);
    if (gone) continue;
    if (at->path().extension() == ".list")
      headers.emplace_back(time, fs::path(at->path()).replace_extension(".pch"));
    else if (at->path().extension() == ".tmp" && now - time > kOldTemporary) fs::remove(at->path(), gone);
  }
  std::sort(headers.begin(), headers.end());
  for (std::size_t i = 0; i + kMostHeaders < headers.size(); ++i) removePreload(headers[i].second);
}

FolderLock::FolderLock(const fs::path& folder)
    : fd_(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) != 0) ::close(fd_), fd_ = -1;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace kadvise::source
