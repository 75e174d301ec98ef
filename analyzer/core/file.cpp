#include "analyzer/core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <system_error>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

const std::string kNoFile = "is no file, and is not replaced by one";

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

struct Descriptor {
  int fd;
  explicit Descriptor(int opened) : fd(opened) {
    if (fd < 0) fail();
  }
  ~Descriptor() { ::close(fd); }
};

// A new file with the rights, and where that is allowed the owner, of the one that it will replace. A link is
// replaced itself, not what it points to.
void write(const fs::path& temporary, const fs::path& target, std::string_view text) {
  Descriptor made(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  struct stat old{};
  if (::lstat(target.c_str(), &old) == 0 && S_ISREG(old.st_mode)) {
    if (::fchown(made.fd, old.st_uid, old.st_gid) != 0 && errno != EPERM) fail();
    if (::fchmod(made.fd, old.st_mode & 07777) != 0) fail();
  }
  if (!writeAll(made.fd, text)) fail();
}

void writeInto(const fs::path& stream, std::string_view text) {
  if (fs::is_block_file(stream)) throw Error(stream.string(), kNoFile);
  Descriptor opened(::open(stream.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!writeAll(opened.fd, text)) fail();
}

std::string endingOf(int process) { return "." + std::to_string(process) + ".tmp"; }

constexpr std::size_t kLeastPiece = 4096;

}  // namespace

std::string readFile(const fs::path& path, std::size_t limitBytes) {
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path.string(), "no such file");
  if (!fs::is_regular_file(path, ec)) throw Error(path.string(), "is not a regular file");
  const auto size = fs::file_size(path, ec);
  auto checkSize = [&](std::uintmax_t bytes) {
    if (bytes > limitBytes)
      throw Error(path.string(), "is larger than " + std::to_string(limitBytes >> 20) + " MiB");
  };
  if (!ec) checkSize(size);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path.string(), "cannot be read");
  // In pieces: what writes to the file meanwhile, and files of /proc, which have no size, end elsewhere than
  // they said.
  std::string text;
  for (std::size_t read = 0; in; checkSize(read)) {
    text.resize(read + std::max<std::size_t>(kLeastPiece, read == 0 && !ec ? size + 1 : 0));
    in.read(text.data() + read, static_cast<std::streamsize>(text.size() - read));
    read += static_cast<std::size_t>(in.gcount());
    text.resize(read);
  }
  if (in.bad()) throw Error(path.string(), "cannot be read");
  return text;
}

bool isStream(const fs::path& path) {
  std::error_code ec;
  auto status = fs::status(path, ec);
  if (!fs::is_regular_file(status)) return fs::exists(status) && !fs::is_directory(status);
  const std::string folder = fs::absolute(path, ec).lexically_normal().parent_path().string();
  return folder == "/dev" || folder == "/dev/fd" || folder.starts_with("/proc/");
}

bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Nobody can say the name beforehand, and so leave a link in its place.
fs::path temporaryBeside(const fs::path& target) {
  constexpr std::size_t kMostOfName = 128;  // a name has 255 bytes at most
  std::random_device random;
  char drawn[32];
  std::snprintf(drawn, sizeof drawn, ".%08x%08x", random(), random());
  return target.parent_path() /
         ("." + target.filename().string().substr(0, kMostOfName) + drawn + endingOf(::getpid()));
}

void commitFile(const fs::path& temporary, const fs::path& target) {
  // fsync before rename: after a crash the name must not point at an empty file.
  if (int fd = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC); fd >= 0) {
    ::fsync(fd);
    ::close(fd);
  }
  std::error_code ec;
  std::string why;
  if (isStream(target)) why = kNoFile;
  else if (fs::rename(temporary, target, ec); ec) why = "cannot be written: " + ec.message();
  if (why.empty()) return;
  fs::remove(temporary, ec);
  throw Error(target.string(), why);
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
  try {
    if (isStream(target)) return writeInto(target, text);
    write(temporary, target, text);
  } catch (const std::system_error& e) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw Error(target.string(), "cannot be written: " + e.code().message());
  }
  commitFile(temporary, target);
}

void copyFile(const fs::path& from, const fs::path& target) {
  auto temporary = temporaryBeside(target);
  std::error_code ec;
  if (fs::copy_file(from, temporary, ec)) return commitFile(temporary, target);
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw Error(target.string(), "cannot be written: " + ec.message());
}

}  // namespace kadvise
