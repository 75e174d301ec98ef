#include "analyzer/option_groups.h"

#include "analyzer/option.h"

namespace kadvise {

void addOutput(CLI::App* app, CommandLine& line, RawOptions& raw) {
  const char* group = "Output";
  app->add_flag("--quiet,-q", line.quiet, "No progress, and no text report")->group(group);
  app->add_flag("--verbose,-v", line.verbose, "Whole lists, what to write instead, timing of the phases")
      ->group(group);
  once(app, "--color", raw.color, "Colours: auto (on a terminal, without NO_COLOR), always, never", "WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group(group);
}

void addViews(CLI::App* app, CommandLine& line, const std::string& what) {
  const char* group = "Output";
  once(app, "--json", line.json, what + " as JSON (- is standard output, and no text then)", "FILE")
      ->group(group);
  once(app, "--report", line.views.page, what + " as one page, which opens from disk without a network",
       "FILE.html")
      ->group(group);
  once(app, "--markdown", line.views.markdown, what + " as Markdown", "FILE")->group(group);
  app->add_flag("--step-summary", line.views.isStepSummary,
                "Append the Markdown to the summary of a step of GitHub Actions")
      ->group(group);
}

void addGates(CLI::App* app, CommandLine& line) {
  const char* group = "Output";
  once(app, "--sarif", line.views.sarif, "The findings as SARIF 2.1.0, for code scanning and editors", "FILE")
      ->group(group);
  once(app, "--junit", line.views.junit, "The findings as JUnit test cases: those that --fail-on counts fail",
       "FILE")
      ->group(group);
}

void addRules(CLI::App* app, RawOptions& raw) {
  repeatable(app, "--rules", raw.rules, "Folder of further rule pages (repeatable)", "DIR")->group("Rules");
}

void addProject(CLI::App* app, CommandLine& line, RawOptions& raw) {
  const char* group = "Project";
  auto* config = once(app, "--config", raw.config,
                      "Configuration (default: the nearest kadvise.toml here or above)", "FILE")
                     ->group(group);
  app->add_flag("--no-config", line.noConfig, "No kadvise.toml")->group(group)->excludes(config);
  once(app, "--baseline", raw.baseline, "Findings in it are known: --fail-on does not count them", "FILE")
      ->group(group);
  once(app, "--write-baseline", raw.writeBaseline, "Write the findings of this run to such a file", "FILE")
      ->group(group);
}

void addEngines(CLI::App* app, CommandLine& line, RawOptions& raw, const EngineHelp& help) {
  const char* group = "Engines";
  once(app, "--engines", raw.engines,
       std::string("Folder with ") + help.programs + " (default: next to kadvise, then ../libexec/kadvise)",
       "DIR")
      ->group(group);
  once(app, "--work-dir", raw.workDir,
       "Keep the artefacts and the engines' logs there (default: a temporary folder)", "DIR")
      ->group(group);
  once(app, "--time-limit", line.assistant.timeLimitSeconds, help.timeLimit, "SECONDS")
      ->check(aboveZero())
      ->group(group);
  once(app, "--memory-limit", raw.memoryGiB, help.memoryLimit, "GIB")->check(aboveZero())->group(group);
}

void addInputs(CLI::App* app, CommandLine& line, RawOptions& raw) {
  const char* run = "What to run";
  repeatable(app, "--input", line.subject.inputs,
             "An input of forward, in order: float32[4,128,512], int64[2,128]<1000 (values below), bool[8], "
             "3, true (default: "
             "those that the file brings along, else guessed from the weights)",
             "SPEC")
      ->group(run);
  once(app, "--inputs", raw.inputsFile, "Inputs from a file: torch.save of a tuple of tensors", "FILE")
      ->group(run);
  once(app, "--device", line.subject.device, "auto (the first GPU, else the CPU), cpu, cuda, cuda:N",
       "DEVICE")
      ->group(run);
  repeatable(app, "--op-library", raw.opLibraries,
             "Library with custom operators that the module uses (repeatable)", "FILE")
      ->group(run);
  once(app, "--seed", line.assistant.seed, "Seed of random inputs (default 0)", "N")
      ->check(wholeNumber())
      ->group(run);
}

CLI::Option* addCudaGraph(CLI::App* app, CommandLine& line) {
  return app->add_flag_callback(
      "--no-cuda-graph", [&line] { line.assistant.cudaGraph = false; },
      "The optimised module owns no CUDA graphs (with a GPU and from level 3 they are tried)");
}

void addLevel(CLI::App* app, CommandLine& line, const char* group) {
  once(app, "--level", line.assistant.level,
       "Highest level: 1 ATen operators, 2 TorchScript fusion, 3 CUDA graph, 4 generated, 5 hand-written "
       "kernels (default 5)",
       "1..5")
      ->check(CLI::Range(1, 5))
      ->group(group);
  app->add_flag("--allow-approximate", line.assistant.allowApproximate,
                "Also replacements that approximate; their error is measured")
      ->group(group);
}

void addArch(CLI::App* app, CommandLine& line) {
  once(app, "--arch", line.assistant.arch,
       "GPU that estimates are for: H100, \"RTX 4090\", sm_90 (default: the one in use, else H100)", "NAME")
      ->group("Rules");
}

}  // namespace kadvise
