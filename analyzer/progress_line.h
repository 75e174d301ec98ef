// What is being done, on standard error: one rewritten line on a terminal; elsewhere a plain line for each
// phase that takes more than a second.
#pragma once

#include <string>

#include "analyzer/assistant.h"

namespace kadvise {

class ProgressLine {
 public:
  enum class Form { None, Rewritten, Plain };
  explicit ProgressLine(Form form) : form_(form) {}
  ~ProgressLine() { clear(); }

  void show(const Progress&);
  void clear();

 private:
  Form form_;
  std::string phase_;    // that was printed last
  double shownAt_ = -1;  // seconds into the phase
  std::string onScreen_;
};

ProgressLine::Form progressForm(bool quiet);

}  // namespace kadvise
