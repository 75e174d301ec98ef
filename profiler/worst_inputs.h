// The inputs of the case that a verdict is about, as a file, for whoever wants to see it again.
#pragma once

#include <filesystem>

#include "profiler/inputs.h"

namespace kadvise {

class WorstInputs {
 public:
  explicit WorstInputs(std::filesystem::path path) : path_(std::move(path)) {}  // "": none are kept
  void keep(const Values& inputs) {
    if (path_.empty() || inputs.empty()) return;
    writeValues(path_, inputs);
    areKept_ = true;
  }
  void keepInstead(const Values& inputs) {
    std::error_code ec;
    if (areKept_) std::filesystem::remove(path_, ec);
    areKept_ = false;
    keep(inputs);
  }
  bool areKept() const { return areKept_; }

 private:
  std::filesystem::path path_;
  bool areKept_ = false;
};

}  // namespace kadvise
