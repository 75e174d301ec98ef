// What another program prints.
#pragma once

#include <string>
#include <vector>

namespace kadvise {

struct ProgramOutput {
  int code = 0;
  std::string output, errors;
  std::string firstErrorLine() const;
};

// Runs the program, found on the PATH, without a shell, and waits for it. environment: "NAME=value", beside
// what this process has. Throws Error when it cannot be started.
ProgramOutput runProgram(const std::vector<std::string>& words,
                         const std::vector<std::string>& environment = {});

}  // namespace kadvise
