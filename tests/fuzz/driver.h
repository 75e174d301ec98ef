// Runs numbered cases in child processes, so that a crash, a hang or a greedy case costs that case and is
// reported.
#pragma once

#include <functional>
#include <string>

#include "tests/fuzz/random.h"

namespace kadvise::fuzz {

// What came of one case. Skipped: the mutation made nothing that could be tested (text that does not compile,
// say).
enum class Result { Passed, Refused, Skipped };

// Thrown by a case: something that must not be. Findings of one kind are printed a few times and counted
// after that.
struct Finding {
  std::string kind, what;
};

struct Fuzzer {
  std::function<std::string(Random&)> make;  // the text of a case, from the seed alone
  std::function<Result(const std::string& text, Random&)>
      test;  // throws Finding, or anything else, which is one too
};

// One thread a process, our operators, and no warnings: mutated programs make LibTorch warn of a thousand
// things.
void prepareLibTorch();

// While one lives, the case's own program runs: where that ends the process or takes too long, it is skipped.
class OwnRun {
 public:
  OwnRun();
  ~OwnRun();
  OwnRun(const OwnRun&) = delete;
  OwnRun& operator=(const OwnRun&) = delete;
};

// Command line: [--seed N] [--cases N] [--seconds N] [--only CASE]. Returns 1 where anything was found.
// Prints for each finding its text, and the options that replay it.
int runFuzzer(int argc, char** argv, const Fuzzer&);

}  // namespace kadvise::fuzz
