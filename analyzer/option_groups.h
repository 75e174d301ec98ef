// Options that several commands share, by the heading under which --help lists them.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "analyzer/options.h"

namespace kadvise {

// What CLI11 fills and CommandLine holds otherwise.
struct RawOptions {
  std::string keep = "not-slower", color = "auto", failOn = "never";
  std::vector<std::string> models, select, ignore, rules, opLibraries;
  std::string inputsFile, workDir, engines, output, config, baseline, writeBaseline, expected, module, other,
      trace;
  double memoryGiB = 0;
  bool noVerify = false;
};

// What --help says of the engines' options: which there are, and what holds where the user says nothing.
struct EngineHelp {
  const char* programs = "kadvise-graph and kadvise-measure";
  const char* timeLimit =
      "Longest wait for one step of an engine (default 600; less computing while a small file is read)";
  const char* memoryLimit =
      "Largest resident memory of an engine (default: 3/4 of the machine's; less while a small file is read)";
};

inline constexpr const char* kStepSummary =
    "GITHUB_STEP_SUMMARY";                                // names a file, in a step of GitHub Actions
inline constexpr const char* kRegression = "regression";  // of --fail-on

void addOutput(CLI::App* app, CommandLine& line, RawOptions& raw);
// The report as files: what it is called in the help of --json, such as "The table".
void addViews(CLI::App* app, CommandLine& line, const std::string& what);
void addGates(CLI::App* app, CommandLine& line);  // forms for machines: of findings
void addRules(CLI::App* app, RawOptions& raw);
void addProject(CLI::App* app, CommandLine& line, RawOptions& raw);
void addEngines(CLI::App* app, CommandLine& line, RawOptions& raw, const EngineHelp& help = {});
void addInputs(CLI::App* app, CommandLine& line, RawOptions& raw);
CLI::Option* addCudaGraph(CLI::App*, CommandLine&);
void addLevel(CLI::App* app, CommandLine& line, const char* group);
void addArch(CLI::App* app, CommandLine& line);

}  // namespace kadvise
