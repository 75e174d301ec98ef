// What a run found and measured. JSON is the truth (schema.json, versioned); every other form is a view of
// it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/bench.h"
#include "analyzer/core/case_errors.h"
#include "analyzer/core/estimates.h"
#include "analyzer/core/generated_share.h"
#include "analyzer/core/health.h"
#include "analyzer/core/json.h"
#include "analyzer/core/profile.h"
#include "analyzer/core/readiness.h"
#include "analyzer/core/types.h"
#include "reports/comparison.h"
#include "reports/cuda_graph_use.h"

namespace kadvise {

inline constexpr int kReportVersion = 1;

// Verdicts that speak of no candidate.
inline constexpr const char* kWholeVerdict = "whole";
inline constexpr const char* kCudaGraphVerdict =
    "cuda-graph";  // the whole with CUDA graphs against it without
inline constexpr const char* kWithoutGraphsVerdict =
    "without-graphs";  // the whole without, where it has them

struct Tool {
  std::string name, version;
};

struct Device {
  std::string kind;  // cpu, cuda; "" while no engine has said
  int index = 0;
  std::string name;
  int arch = 0;  // 90 for sm_90; 0 on a CPU
};

struct Argument {
  std::string name, type;
};

struct ReportSubject {
  std::string path, format;  // format: scripted, traced, exported
  std::int64_t nodes = 0, parameters = 0, parameterBytes = 0;
  std::vector<Argument> arguments;  // of forward
};

struct ReportInputs {
  std::vector<std::string> specs;  // what was run: the text form of core/input_spec.h
  std::string from, file;          // from: file, options, bundled, samples, inferred, none
  std::int64_t seed = 0;
};

// What a reader needs of a rule's page, for the rules that the report speaks of.
struct RuleText {
  std::string title;
  std::map<std::string, std::string> sections;
};

struct Diagnostic {
  std::string where, what;
};

struct Applied {
  std::string candidate;
  int sites = 0;
};

struct Dropped {
  std::string candidate, reason;
};

// The composed module that Report::whole speaks of.
struct Composition {
  std::vector<Applied> applied;
  std::vector<Dropped> dropped;
  std::vector<std::string> notes;
};

// A set of candidates that was tried as a whole.
struct SearchStep {
  std::string tried;                 // what the set is, in words
  std::vector<std::string> set;      // candidates
  std::vector<std::string> against;  // the set that it is compared with; empty: the original module
  Outcome outcome = Outcome::NotRun;
  Interval speedup;
  std::string decision;
};

// The file that was asked for, and whether it was written.
struct Output {
  std::string path;
  bool written = false;
  std::string reason;  // why not
  std::int64_t fileBytes = 0,
               originalBytes = 0;  // of the written file and of the one it was made from; 0: not known
  std::string library = {};        // with the operators that the file needs; "" where LibTorch has them all
};

// What the run was allowed to do, where that decides what is advised.
struct Settings {
  std::string keep = "not-slower";
  double budgetSeconds = 0;
  double neededSeconds = 0;  // a budget that would do for all proposals, where this one did not; 0: not known
};

// A finding that kadvise.toml keeps out: its candidate is neither measured nor applied there.
struct Suppressed {
  std::string finding, reason, by;  // by: "kadvise.toml:12"
};

struct BaselineEntry {
  std::string module, rule, scope, id, message;  // module: the file's name
};

// What the baseline file says of this run.
struct BaselineUse {
  std::string path;
  std::vector<std::string> known;    // ids of findings that are in it
  std::vector<BaselineEntry> fixed;  // what is in it, and no longer found
};

// Of `kadvise verify --component`.
struct ComponentProperty {
  std::string name, status, figures;  // status: pass, fail, unknown (there is no reference), skipped
};

struct ComponentCheck {
  std::string kind;  // attention, norm, mlp, embedding
  std::vector<ComponentProperty> properties;
};

// What an earlier run said of a rule's proposal.
struct EarlierItem {
  std::string rule, what;
};

// Of `kadvise why-not`: the rules that were asked about, and where they nearly matched. What they found and
// refused is where it always is.
struct WhyNot {
  std::vector<std::string> rules;
  std::vector<NearPlace> near;       // of each rule the nearest first
  std::vector<EarlierItem> earlier;  // of the last run over the module, where the rules found something
};

// What a tool of compute-sanitizer found in the kernels of the two modules of a pair.
struct SanitizerCheck {
  std::string tool;  // memcheck, racecheck, initcheck, synccheck
  long errors = 0, warnings = 0;
  std::string kind, kernel;   // of the first error; "" for none
  long errorsOfOriginal = 0;  // alone; counted where there are any at all
};

// Of `kadvise verify A B` and `kadvise verify A --expected FILE`; Report::whole is its verdict.
struct PairCheck {
  std::string kind, against;  // kind: module, expected (an output that was saved)
  std::string worstInputs;    // the file that they were saved in, "" for none
  std::string replay;         // the command that runs them again; "" where they are those of this run
  std::string outputs;        // equal, differ, undecided: whatever the outcome of whole says about the time
  bool isTimed = true;        // false: which is faster was not asked
  std::optional<SanitizerCheck> sanitizer;
};

// Of `kadvise levels`: one way of running the module, against the file as loaded.
struct LevelRow {
  int level =
      0;  // 0: as loaded; 1 ATen operators, 2 TorchScript fusion, 3 CUDA graph, 5 with kernels of ours
  std::string name;  // "frozen TorchScript"
  Verdict verdict;   // before: the file as loaded, after: this level
  std::vector<std::string> notes;
};

struct Report {
  int version = kReportVersion;
  Tool tool;
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  Device device;
  ReportSubject subject;
  ReportInputs inputs;
  std::string configuration;  // the kadvise.toml that was used, "" for none
  std::vector<Finding> findings;
  std::vector<Suppressed> suppressed;
  std::optional<BaselineUse> baseline;
  std::vector<Verdict> verdicts;
  Verdict whole;
  std::map<std::string, std::vector<CaseErrors>> caseErrors;  // by candidate, and "whole"
  std::vector<Candidate> candidates;
  std::vector<Refusal> refused;
  std::vector<NotApplicable> notApplicable;
  Composition composition;
  std::vector<SearchStep> search;  // how the set of composition was chosen: the start first
  std::optional<CudaGraphUse> cudaGraph;
  std::optional<Output> output;
  std::optional<Settings> settings;
  std::optional<ComponentCheck> component;
  std::optional<WhyNot> whyNot;
  std::optional<PairCheck> pair;
  std::optional<RunComparison> comparison;  // of `kadvise report OLD NEW`: this run is the new one
  std::optional<Profile> profile;
  std::optional<std::vector<HealthLine>> health;  // of `kadvise doctor`
  std::optional<std::vector<LevelRow>> levels;    // of `kadvise levels`
  std::optional<Bench> bench;                     // of `kadvise bench`
  std::optional<Readiness> readiness;
  std::optional<GeneratedShare> generated;  // absent when the module was not run
  std::optional<WholeEstimate> estimate;  // the three are from shapes, and absent when the module was not run
  std::vector<ModuleCost> modules;        // by path
  std::optional<PeakMemory> memory;
  std::map<std::string, RuleText> rules;
  std::vector<Diagnostic> errors;        // what could not be done; any makes the exit code 2
  std::map<std::string, double> timing;  // phase -> seconds
  std::vector<std::string> notes;
};

void to_json(Json&, const Tool&);
void from_json(const Json&, Tool&);
void to_json(Json&, const Device&);
void from_json(const Json&, Device&);
void to_json(Json&, const Argument&);
void from_json(const Json&, Argument&);
void to_json(Json&, const ReportSubject&);
void from_json(const Json&, ReportSubject&);
void to_json(Json&, const ReportInputs&);
void from_json(const Json&, ReportInputs&);
void to_json(Json&, const RuleText&);
void from_json(const Json&, RuleText&);
void to_json(Json&, const Diagnostic&);
void from_json(const Json&, Diagnostic&);
void to_json(Json&, const Applied&);
void from_json(const Json&, Applied&);
void to_json(Json&, const Dropped&);
void from_json(const Json&, Dropped&);
void to_json(Json&, const Composition&);
void from_json(const Json&, Composition&);
void to_json(Json&, const SearchStep&);
void from_json(const Json&, SearchStep&);
void to_json(Json&, const Output&);
void from_json(const Json&, Output&);
void to_json(Json&, const Settings&);
void from_json(const Json&, Settings&);
void to_json(Json&, const Suppressed&);
void from_json(const Json&, Suppressed&);
void to_json(Json&, const BaselineEntry&);
void from_json(const Json&, BaselineEntry&);
void to_json(Json&, const BaselineUse&);
void from_json(const Json&, BaselineUse&);
void to_json(Json&, const ComponentProperty&);
void from_json(const Json&, ComponentProperty&);
void to_json(Json&, const ComponentCheck&);
void from_json(const Json&, ComponentCheck&);
void to_json(Json&, const EarlierItem&);
void from_json(const Json&, EarlierItem&);
void to_json(Json&, const WhyNot&);
void from_json(const Json&, WhyNot&);
void to_json(Json&, const PairCheck&);
void from_json(const Json&, PairCheck&);
void to_json(Json&, const LevelRow&);
void from_json(const Json&, LevelRow&);
void to_json(Json&, const Report&);
void from_json(const Json&, Report&);

// Reads a report that kadvise wrote; Error when it is something else or of another version.
Report readReport(const std::string& path);
std::string toText(
    const Json&);  // as it is written: two spaces, a line end, bytes that are not UTF-8 replaced

}  // namespace kadvise
