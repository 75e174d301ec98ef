// The folder of one run: artefacts, saved inputs and the engines' logs.
#pragma once

#include <filesystem>

namespace kadvise {

class WorkDir {
 public:
  // wanted: a folder to keep ("" makes one under $TMPDIR that is removed again, and removes those of runs
  // that were killed). Throws Error.
  explicit WorkDir(const std::filesystem::path& wanted);
  ~WorkDir();
  WorkDir(const WorkDir&) = delete;
  WorkDir& operator=(const WorkDir&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
  int lock_ = -1;  // of the folder under $TMPDIR, as long as this process lives
};

// A file that is removed again unless it got its final name.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kadvise
