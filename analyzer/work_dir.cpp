#include "analyzer/work_dir.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;

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
  std::string pattern = (parent / "kadvise-XXXXXX").string();
  if (!::mkdtemp(pattern.data()))
    throw Error(parent.string(), std::string("no work folder can be made there: ") + std::strerror(errno));
  path_ = pattern;
}

WorkDir::~WorkDir() {
  std::error_code ignored;
  if (!kept_) fs::remove_all(path_, ignored);
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace kadvise
