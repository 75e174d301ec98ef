// The command line as data.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/lint/lint_options.h"
#include "analyzer/module_profile.h"
#include "analyzer/operator_bench.h"

namespace kadvise {

enum class Command {
  Advise,
  RulesList,
  RulesShow,
  RulesTest,
  Verify,
  WhyNot,
  Report,
  Profile,
  Levels,
  Bench,
  Doctor,
  Lint,
  Lsp
};
enum class Color { Auto, Always, Never };

// Files in which the report is to stand in other forms; "" for none.
struct Views {
  std::string page, markdown, sarif, junit;
  bool isStepSummary = false;  // the Markdown goes to GitHub's summary of the step, too
};

struct CommandLine {
  Command command = Command::Advise;
  std::vector<std::string> arguments;  // models, rule ids, folders or a report, as the command has it
  Subject subject;                     // path is filled from arguments by the command
  AssistantOptions assistant;
  std::string component;           // of verify: attention, norm, mlp, embedding
  int heads = 0;                   // of attention; 0: not given
  std::filesystem::path expected;  // of verify: a saved output
  bool noTiming = false;           // of verify
  std::string sanitizer;           // of verify: a tool of compute-sanitizer
  ProfileOptions profile;
  BenchOptions bench;
  LintOptions lint;
  struct {
    std::filesystem::path log;
    long clientProcess = 0;
  } server;  // of lsp
  bool apply = false;
  std::filesystem::path output;  // -o
  std::string json;              // "" none, "-" standard output
  Views views;
  std::optional<Severity> failOn;  // empty: never
  bool failsOnRegression = false;  // of report OLD NEW
  std::filesystem::path config;    // --config; "": the nearest kadvise.toml
  bool noConfig = false;
  struct {
    bool device = false, budget = false, failOn = false;
  } given;  // on the command line, which wins over the file
  bool quiet = false, verbose = false;
  Color color = Color::Auto;
};

// What the program should do at once instead: print text and end (help, version, a wrong option).
struct Farewell {
  std::string text;
  int exitCode = 0;
};

// Throws Farewell.
CommandLine parseCommandLine(int argc, const char* const* argv);

}  // namespace kadvise
