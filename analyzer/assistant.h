// The assistant: finds what keeps a GPU from running a module fast, proposes replacements, and proves them by
// running them. Everything crosses as paths and plain structs; modules are opened only in the engine
// processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/core/configuration.h"
#include "analyzer/interrupted.h"
#include "reports/report.h"

namespace kadvise {

struct Subject {
  std::filesystem::path path;                  // a TorchScript module, .pt
  std::vector<std::filesystem::path> sources;  // of its custom operators; not supported yet: leave empty
  std::vector<std::string> inputs;   // the text form of analyzer/core/input_spec.h, one for each argument
  std::filesystem::path inputsFile;  // or a saved tuple
  std::string device = "auto";       // auto (the first GPU, else the CPU), cpu, cuda, cuda:N
  std::string dtype;                 // not supported yet: leave empty
  std::vector<std::filesystem::path> opLibraries;
};

// Which equal candidates are applied.
enum class Keep { Faster, NotSlower, Equal };

// What a module is held against: another module, or an output that was saved. One of the two.
struct Opponent {
  std::filesystem::path module, expected;
  std::filesystem::path worstInputs;  // where the inputs of the worst case are saved; "": nowhere
  bool isTimed = true;                // a module; false: only whether it is equal
  // A tool of compute-sanitizer (memcheck, racecheck, initcheck, synccheck) that watches the comparison with
  // a module, which is then of the inputs given alone and not timed; "": none.
  std::string sanitizer;
};

struct Progress {
  std::string phase;   // "checking C3 (2 of 5)"
  std::string detail;  // what the engine says it does
  double done = 0, total = 0;
  double seconds = 0;  // in this phase
};

struct AssistantOptions {
  bool verify = true;        // false: analyse only, nothing is compared or timed
  double budgetSeconds = 0;  // for all comparisons together; 0: 60, and up to 120 for many proposals
  int level = 5;
  bool cudaGraph = true;  // the optimised module may own CUDA graphs, from level 3
  std::string arch;       // the GPU that estimates are for, of analyzer/core/hardware.h; "": the device's own
  Keep keep = Keep::NotSlower;
  bool allowApproximate = false;
  int mostNear =
      0;  // above 0: Report::whyNot says, of each rule, at how many places at most it nearly matches
  std::int64_t seed = 0;
  std::vector<std::filesystem::path> rules;  // folders of rule pages beside the bundled ones
  std::vector<std::string> select, ignore;   // ids or categories; empty select: all
  // Of a kadvise.toml: select and ignore (where those above are empty), severities, ignores by path,
  // suppressions. Its device, budget, fail-on and baseline are for the caller to take over, as the command
  // line does.
  Configuration configuration;
  std::filesystem::path baseline;       // findings in it are known; "": none
  std::filesystem::path writeBaseline;  // written at the end of a run without errors; "": not
  std::filesystem::path engines;        // "": beside the running program
  std::filesystem::path workDir;        // "": a temporary folder, removed again
  double timeLimitSeconds =
      0;  // for one request to an engine; 0: 600, and less computing for reading a small file
  std::size_t memoryLimitBytes = 0;  // resident, of one engine; 0: three quarters of the machine's memory
  std::vector<std::string> command;  // to be quoted in the report
  std::function<void(const Progress&)> progress;
  // Asked a few times a second; true ends the run with Interrupted or, once a set of replacements has been
  // proven, with the report on it.
  std::function<bool()> interrupted;
};

// Throws Error for what is wrong before an engine has started (a missing file, an unknown rule), and
// Interrupted. Everything later is in the report: Report::errors says what could not be done.
class CompilerOptimizationAssistant {
 public:
  explicit CompilerOptimizationAssistant(AssistantOptions options = {});

  Report analyze(const Subject&);
  // The same, and writes the optimised module to output when it is equal and not slower. Report::output says.
  Report optimize(const Subject&, const std::filesystem::path& output);
  // Whether a module keeps what its kind (attention, norm, mlp, embedding) promises: Report::component has
  // the named results. heads: of attention, 0 where the module or its outputs tell.
  Report examine(const Subject&, const std::string& kind, int heads = 0);
  // Whether a module gives the outputs of another, on its inputs and on generated ones of any sign, shape and
  // layout that the module itself accepts; or, on its inputs, those of a file. Report::whole is the verdict.
  Report verify(const Subject&, const Opponent&);
  // Whether two modules give equal outputs on the original's inputs, and which is faster.
  Verdict validate(const Subject& original, const Subject& optimised);

 private:
  AssistantOptions options_;
};

}  // namespace kadvise
