// The macros that a build gives to its compiler, as lines to be put before a source.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kadvise::source {

class MacroLines {
 public:
  // definition: what stands behind -D. Of variants that give a name several values the first is as good as
  // another; without a value a name turns something on, which in a condition is as often off, but for CUDA.
  void take(const std::string& definition, bool isConditional);

  // #define lines, each for a name that has no meaning yet, in the order in which they were taken.
  std::string text() const;
  // Of those alone, and of what their values are made of.
  std::string textOf(std::set<std::string> names) const;
  // Of those that turn CUDA on and are asked for in the source: whoever asks for kernels builds them.
  std::string cudaTextFor(const std::string& source) const;
  bool isEmpty() const { return macros_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> macros_;  // one may be made of another
};

bool isMacroName(const std::string&);

}  // namespace kadvise::source
