#include <filesystem>

#include "analyzer/command_options.h"
#include "analyzer/core/hardware.h"
#include "analyzer/option.h"
#include "reports/lint_formats.h"

namespace kadvise {
namespace {

CLI::Option* list(CLI::App* app, const std::string& name, std::vector<std::string>& into,
                  const std::string& help, const char* type) {
  return once(app, name, into, help, type)->delimiter(',')->allow_extra_args(false);
}

// "90", "sm_90", "H100".
int archOf(const std::string& name) {
  constexpr int kFirst = 30, kLast = 999;
  int number = 0;
  bool isNumber = CLI::detail::lexical_cast(name, number) && number >= kFirst && number <= kLast;
  auto* gpu = isNumber ? nullptr : gpuNamed(name);
  if (!isNumber && !gpu)
    throw CLI::ValidationError("--arch", "\"" + name + "\" is no GPU that is known; it is one of " +
                                             gpuNames() + ", or a number such as 90");
  return isNumber ? number : gpu->arch;
}

void addWhich(CLI::App* app, LintOptions& o, RawOptions& raw) {
  const char* group = "Rules";
  list(app, "--select", raw.select, "Only these rules or categories", "ID,ID")->group(group);
  list(app, "--ignore", raw.ignore, "Not these rules or categories", "ID,ID")->group(group);
  list(app, "--extend-select", o.extendSelect, "These too, such as rules that are off by default", "ID,ID")
      ->group(group);
  once(app, "--explain", o.explain, "The page of a rule, and nothing else", "ID")->group(group);
  app->add_option_function<std::string>(
         "--arch", [&o](const std::string& name) { o.arch = archOf(name), o.gpu = name; },
         "GPU or compute capability that rules think of and prices are for: H100, sm_80, 90 (default: that "
         "of the build, else 90)")
      ->option_text("NAME")
      ->group(group);
}

void addFiles(CLI::App* app, LintOptions& o) {
  const char* group = "Files";
  list(app, "--exclude", o.exclude, "Patterns of files and folders that are left out", "GLOB,GLOB")
      ->group(group);
  app->add_flag("--force-exclude", o.forceExclude,
                "Leave them out even where they are named, as pre-commit does")
      ->group(group);
  app->add_option_function<std::string>(
         "--stdin-filename", [&o](const std::string& name) { o.stdinFile = name; },
         "Read standard input, as a file of this name; with --fix the fixed\ntext is what is written, and "
         "what was found goes to standard error")
      ->option_text("FILE")
      ->group(group);
  once(app, "--diff-base", o.diffBase, "Only findings on lines that changed since this revision of git",
       "REV")
      ->group(group);
}

void addFixing(CLI::App* app, LintOptions& o) {
  const char* group = "Fixes";
  app->add_flag("--fix", o.fix, "Apply the safe fixes; the text is parsed again before it is written")
      ->group(group);
  app->add_flag("--unsafe-fixes", o.unsafeFixes, "With --fix or --diff: fixes that may change results, too")
      ->group(group);
  app->add_flag("--diff", o.diff, "Show what the fixes change, write nothing, exit with 1 if there are any")
      ->group(group);
}

void addParsing(CLI::App* app, LintOptions& o) {
  const char* group = "Headers";
  once(app, "--headers", o.headers,
       "auto (default: a toolkit's where one is found), stub (kadvise's own declarations, fastest), toolkit",
       "WHICH")
      ->check(CLI::IsMember({"auto", "stub", "toolkit"}))
      ->group(group);
  once(app, "--toolkit", o.toolkit,
       "A CUDA toolkit (default: $CUDA_HOME, /usr/local/cuda, the active venv's)", "DIR")
      ->group(group);
  once(app, "--torch", o.torch, "A torch package, for its headers (default: kadvise's own declarations)",
       "DIR")
      ->group(group);
  once(app, "--compile-commands", o.compileCommands,
       "compile_commands.json (default: the nearest above each file, or below build/)", "FILE")
      ->check(CLI::ExistingFile)
      ->group(group);
}

void addResult(CLI::App* app, CommandLine& line, RawOptions& raw) {
  const char* group = "Output";
  LintOptions& o = line.lint;
  once(app, "--output-format", o.format,
       "text (default), concise, json, sarif, markdown, github, gitlab, junit", "FORMAT")
      ->check(CLI::IsMember(lintFormats()))
      ->group(group);
  once(app, "--output-file", o.outputFile, "Write it to a file", "FILE")->group(group);
  once(app, "--report", line.views.page, "The findings as one page, which opens from disk without a network",
       "FILE.html")
      ->group(group);
  app->add_flag("--statistics", o.statistics, "Count findings by rule, as text or JSON")->group(group);
  once(app, "--fail-on", raw.failOn,
       "Exit with 1 at findings of this severity: note, opportunity, warning (default), error, never",
       "SEVERITY")
      ->check(CLI::IsMember({"note", "opportunity", "warning", "error", "never"}))
      ->group(group);
  app->add_flag("--exit-zero", o.exitZero, "Exit with 0 whatever is found")->group(group);
}

}  // namespace

void addLintCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* lint =
      app.add_subcommand("lint", "CUDA and LibTorch sources: what is wrong or slow in them, with fixes")
          ->footer(
              "A comment `// kadvise: ignore[cuda/RULE] why` keeps a finding out, and so does NOLINT.\n"
              "Nothing of the sources or their build is run.");
  lint->add_option("PATH", line.lint.paths, "Files and folders (default: the working folder)");
  addFiles(lint, line.lint);
  addWhich(lint, line.lint, raw);
  addRules(lint, raw);
  addFixing(lint, line.lint);
  addParsing(lint, line.lint);
  addResult(lint, line, raw);
  addOutput(lint, line, raw);
  addProject(lint, line, raw);
  addEngines(lint, line, raw,
             {"kadvise-source", "Longest wait for one file (default 60)",
              "Largest resident memory while a file is read (default 4)"});
  once(lint, "--jobs,-j", line.lint.jobs, "Files at a time (default: the processors)", "N")
      ->check(CLI::Range(1, 256))
      ->group("Engines");
  lint->add_flag("--no-cache", line.lint.noCache, "Keep no results, and use none")->group("Engines");
  once(lint, "--cache-dir", line.lint.cacheFolder,
       "Where results are kept (default: lint/ in $KADVISE_CACHE_DIR, else in $XDG_CACHE_HOME/kadvise, else "
       "in ~/.cache/kadvise)",
       "DIR")
      ->group("Engines");
  lint->parse_complete_callback([&] { line.command = Command::Lint; });
}

}  // namespace kadvise
