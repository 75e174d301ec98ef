#include "analyzer/command_options.h"

#include "analyzer/option.h"
#include "analyzer/sanitizer.h"

namespace kadvise {
namespace {

void addProof(CLI::App* app, CommandLine& line, RawOptions& raw) {
  const char* group = "Proof";
  app->add_flag("--no-verify", raw.noVerify, "Analyse only: compare and time nothing")->group(group);
  once(app, "--budget", line.assistant.budgetSeconds,
       "Time for all comparisons of the run together, with their timing, 30 % of it for the whole module, on "
       "a GPU 51 % for it with and without CUDA graphs (41 % where graphs are to be expected), and from 30 s "
       "on up to 25 % for what replacements make possible and for trials of other sets of them; loading and "
       "matching are not counted (default 60, "
       "and up to 120 where there are more than a dozen proposals)",
       "SECONDS")
      ->check(aboveZero())
      ->group(group);
  once(app, "--keep", raw.keep,
       "Apply equal replacements that are faster, not-slower (default), or all that are equal", "WHICH")
      ->check(CLI::IsMember({"faster", "not-slower", "equal"}))
      ->group(group);
  addLevel(app, line, group);
  addCudaGraph(app, line)->group(group);
}

void addSelection(CLI::App* app, RawOptions& raw) {
  once(app, "--select", raw.select, "Only these rules or categories", "ID,ID")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group("Rules");
  once(app, "--ignore", raw.ignore, "Not these rules or categories", "ID,ID")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group("Rules");
}

void addResult(CLI::App* app, CommandLine& line, RawOptions& raw) {
  const char* group = "Output";
  auto* apply = app->add_flag("--apply", line.apply, "Write the optimised module to -o FILE")->group(group);
  auto* file = once(app, "-o,--output", raw.output, "The file that --apply writes", "FILE")->group(group);
  apply->needs(file);
  file->needs(apply);
  addViews(app, line, "The report");
  addGates(app, line);
  once(app, "--fail-on", raw.failOn,
       "Exit with 1 at findings of this severity: note, opportunity, warning, error, never (default)",
       "SEVERITY")
      ->check(CLI::IsMember({"note", "opportunity", "warning", "error", "never"}))
      ->group(group);
}

}  // namespace

void addAdvise(CLI::App* app, CommandLine& line, RawOptions& raw) {
  app->add_option("MODEL", raw.models, "A TorchScript module (.pt) or an exported program (.pt2)");
  addInputs(app, line, raw);
  addProof(app, line, raw);
  addArch(app, line);
  addRules(app, raw);
  addSelection(app, raw);
  addResult(app, line, raw);
  addOutput(app, line, raw);
  addProject(app, line, raw);
  addEngines(app, line, raw);
}

void addRulesCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* rules =
      app.add_subcommand("rules", "The rule book: list, show, test")->require_subcommand(1)->footer("");
  auto* list = rules->add_subcommand("list", "Every rule: its id, severity and title")->footer("");
  list->parse_complete_callback([&] { line.command = Command::RulesList; });
  addRules(list, raw);
  auto* show = rules->add_subcommand("show", "The page of a rule")->footer("");
  show->add_option("ID", line.arguments, "Such as fusion/add-layer-norm")->required();
  show->parse_complete_callback([&] { line.command = Command::RulesShow; });
  addRules(show, raw);
  auto* test =
      rules
          ->add_subcommand("test",
                           "Run the examples and the proofs of rules: those of a folder, or the named ones")
          ->footer("");
  test->add_option("WHICH", line.arguments,
                   "Folders of pages, rule ids or categories (default: all bundled rules)");
  test->parse_complete_callback([&] { line.command = Command::RulesTest; });
  addRules(test, raw);
  once(test, "--device", line.subject.device, "auto (the first GPU, else the CPU), cpu, cuda, cuda:N",
       "DEVICE");
  repeatable(test, "--op-library", raw.opLibraries,
             "Library with custom operators that the pages use (repeatable)", "FILE");
  addOutput(test, line, raw);
  addEngines(
      test, line, raw,
      {"kadvise-graph, kadvise-measure and kadvise-source",
       "Longest wait for one step of an engine (default 600, for a page over sources 60)",
       "Largest resident memory of an engine (default: 3/4 of the machine's, for a page over sources 4)"});
}

void addVerifyCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* verify =
      app.add_subcommand("verify",
                         "Check that two modules compute the same, or that one keeps what its kind promises")
          ->footer("");
  verify->add_option("MODEL", raw.module, "A TorchScript module (.pt) or an exported program (.pt2)")
      ->required();
  verify->add_option("OTHER", raw.other, "The TorchScript module that is to compute the same");
  once(verify, "--expected", raw.expected,
       "An output of the module in Python, of torch.save, in place of a second module", "FILE");
  once(verify, "--component", line.component,
       "Its kind, in place of a second module: attention, norm, mlp, embedding", "KIND")
      ->check(CLI::IsMember({"attention", "norm", "mlp", "embedding"}));
  once(verify, "--budget", line.assistant.budgetSeconds,
       "Time for the cases of two modules and for timing them, together; --expected and --component do not "
       "use it (default 60)",
       "SECONDS")
      ->check(aboveZero());
  once(verify, "--heads", line.heads, "Heads of attention (default: as the module or its outputs tell)", "N")
      ->check(CLI::PositiveNumber);
  verify->add_flag("--no-timing", line.noTiming,
                   "Only whether two modules are equal, not which is faster: the budget is for cases alone");
  once(verify, "--sanitize", line.sanitizer,
       "Compare two modules on a GPU while compute-sanitizer watches their kernels, on the inputs given "
       "alone: memcheck, racecheck, initcheck, synccheck",
       "TOOL")
      ->check(CLI::IsMember(sanitizerTools()));
  addInputs(verify, line, raw);
  addViews(verify, line, "The report");
  verify->parse_complete_callback([&] { line.command = Command::Verify; });
  addOutput(verify, line, raw);
  addEngines(verify, line, raw);
}

void addWhyNotCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* why =
      app.add_subcommand("why-not",
                         "Why a rule (or each of them) proposes nothing for a module: its nearest miss")
          ->footer("kadvise.toml has no say here: what it leaves out is explained too.");
  why->add_option("RULE MODEL", line.arguments,
                  "A rule or category (default: all rules), and a TorchScript module or an exported program")
      ->required()
      ->expected(1, 2)
      ->option_text(" ");
  repeatable(why, "--rule", raw.select, "A rule or category to explain, beside RULE (repeatable)", "RULE")
      ->group("Rules");
  addInputs(why, line, raw);
  addLevel(why, line, "Rules");
  addArch(why, line);
  addRules(why, raw);
  addViews(why, line, "The report");
  why->parse_complete_callback([&] { line.command = Command::WhyNot; });
  addOutput(why, line, raw);
  addEngines(why, line, raw);
}

void addProfileCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* profile =
      app.add_subcommand("profile",
                         "Where the time of a call goes: by kernel, operator, module and line of the source")
          ->footer(
              "Times are taken with every recording off; which kernel belongs to which operator is found in "
              "a pass of its own.\n"
              "On a CPU the operators themselves are timed. What a machine cannot tell is listed with reason "
              "and remedy.");
  profile->add_option("MODEL", raw.module, "A TorchScript module (.pt) or an exported program (.pt2)")
      ->required();
  profile->add_flag("--graph", line.profile.isGraph, "Also the replay of the call as a CUDA graph")
      ->group("What to run");
  profile
      ->add_flag("--frozen", line.profile.isFrozen,
                 "The module frozen (torch.jit.freeze), in place of the module as loaded")
      ->group("What to run");
  once(profile, "--counters", line.profile.countedKernels,
       "Hardware counters of the N longest kernels: traffic, tensor pipe, occupancy, what bounds them", "N")
      ->check(CLI::Range(1, 64))
      ->group("What to run");
  addInputs(profile, line, raw);
  addViews(profile, line, "The profile");
  once(profile, "--trace", raw.trace, "The calls as a trace for chrome://tracing and Perfetto", "FILE")
      ->group("Output");
  profile->parse_complete_callback([&] { line.command = Command::Profile; });
  addOutput(profile, line, raw);
  addEngines(profile, line, raw);
}

void addLevelsCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* levels =
      app.add_subcommand("levels",
                         "A module at each level of optimisation: equality, time, memory, first call")
          ->footer(
              "Levels: 0 as loaded, 1 ATen operators, 2 frozen TorchScript, 3 CUDA graph, "
              "4 generated kernels, 5 all kernels of kadvise.");
  levels->add_option("MODEL", raw.module, "A TorchScript module (.pt) or an exported program (.pt2)")
      ->required();
  addInputs(levels, line, raw);
  once(levels, "--budget", line.assistant.budgetSeconds,
       "Time for the comparisons of one level, not of the table: levels 1, 4 and 5 may take all of it "
       "each, levels 2 and 3 30 % of it each (default 60)",
       "SECONDS")
      ->check(aboveZero());
  addCudaGraph(levels, line);
  addViews(levels, line, "The table");
  levels->parse_complete_callback([&] { line.command = Command::Levels; });
  addOutput(levels, line, raw);
  addEngines(levels, line, raw);
}

void addBenchCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* bench = app.add_subcommand("bench", "One operator over shapes, against a plain copy in the same run")
                    ->footer(
                        "Example: kadvise bench kadvise::rms_norm --shapes 4096x4096 --shapes 64x8192 "
                        "--dtype bfloat16");
  bench->add_option("OP", raw.module,
                    "An operator of LibTorch or of the kernel library: aten::softmax, kadvise::rms_norm "
                    "(without one the error lists kadvise's own)");
  repeatable(
      bench, "--shapes", line.bench.shapes,
      "Shape of the first tensor, from which the others follow: 4096x4096 (repeatable; default: a sweep)",
      "SHAPE");
  once(bench, "--dtype", line.bench.dtype, "float32 (default), float16, bfloat16, float64", "DTYPE")
      ->check(CLI::IsMember({"float32", "float16", "bfloat16", "float64"}));
  once(bench, "--budget", line.bench.budgetSeconds, "Time for all shapes together (default 20)", "SECONDS")
      ->check(aboveZero());
  once(bench, "--device", line.subject.device, "auto (the first GPU, else the CPU), cpu, cuda, cuda:N",
       "DEVICE");
  repeatable(bench, "--op-library", raw.opLibraries, "Library with further operators (repeatable)", "FILE");
  addViews(bench, line, "The table");
  bench->parse_complete_callback([&] { line.command = Command::Bench; });
  addOutput(bench, line, raw);
  addEngines(bench, line, raw);
}

void addDoctorCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* doctor =
      app.add_subcommand("doctor",
                         "What of this machine and installation works, what does not, and the remedy")
          ->footer("");
  addViews(doctor, line, "The list");
  doctor->parse_complete_callback([&] { line.command = Command::Doctor; });
  addOutput(doctor, line, raw);
  addEngines(doctor, line, raw);
}

void addReportCommand(CLI::App& app, CommandLine& line, RawOptions& raw) {
  auto* report =
      app.add_subcommand("report", "Render a report again, or compare two runs: report OLD NEW")
          ->footer(
              "Of two runs the newer is compared to the older: what was lost and got slower, new and "
              "fixed findings.\nTimes are compared where device, versions and inputs are the same.");
  report
      ->add_option(
          "REPORT", line.arguments,
          "A report that --json wrote, such as .kadvise/last.json, or lint --output-format json; a second is "
          "the newer run")
      ->required()
      ->expected(1, 2);
  addViews(report, line, "The report");
  addGates(report, line);
  once(report, "--fail-on", raw.failOn,
       "Exit with 1 at a regression of the newer run, or at findings of this severity that are new: "
       "regression, "
       "note, opportunity, warning, error, never (default)",
       "WHAT")
      ->check(CLI::IsMember({kRegression, "note", "opportunity", "warning", "error", "never"}))
      ->group("Output");
  report->parse_complete_callback([&] { line.command = Command::Report; });
  addOutput(report, line, raw);
}

}  // namespace kadvise
