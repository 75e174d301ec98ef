#include "analyzer/core/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

std::string endingOf(int process) { return "." + std::to_string(process) + ".tmp"; }

}  // namespace

std::string readFile(const fs::path& path, std::size_t limitBytes) {
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path.string(), "no such file");
  if (!fs::is_regular_file(path, ec)) throw Error(path.string(), "is not a regular file");
  if (auto size = fs::file_size(path, ec); !ec && size > limitBytes)
    throw Error(path.string(), "is larger than " + std::to_string(limitBytes >> 20) + " MiB");
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw Error(path.string(), "cannot be read");
  return text;
}

fs::path temporaryBeside(const fs::path& target) {
  return target.parent_path() / ("." + target.filename().string() + endingOf(::getpid()));
}

void commitFile(const fs::path& temporary, const fs::path& target) {
  // fsync before rename: after a crash the name must not point at an empty file.
  if (int fd = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC); fd >= 0) {
    ::fsync(fd);
    ::close(fd);
  }
  std::error_code ec;
  fs::rename(temporary, target, ec);
  if (!ec) return;
  fs::remove(temporary);
  throw Error(target.string(), "cannot be written: " + ec.message());
}

void removeTemporaries(const fs::path& folder, int process) {
  std::string ending = endingOf(process);
  std::error_code ec;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    std::string name = at->path().filename().string();
    bool isOne = name.size() > ending.size() && name.front() == '.' &&
                 name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
    std::error_code ignored;
    if (isOne) fs::remove(at->path(), ignored);
  }
}

void writeFile(const fs::path& target, std::string_view text) {
  auto temporary = temporaryBeside(target);
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.flush();
    if (!out) {
      std::string reason = std::strerror(errno);
      std::error_code ignored;
      fs::remove(temporary, ignored);
      throw Error(target.string(), "cannot be written: " + reason);
    }
  }
  commitFile(temporary, target);
}

}  // namespace kadvise
