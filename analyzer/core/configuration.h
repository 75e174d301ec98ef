// kadvise.toml: what a project wants of every run in it. The file is data: nothing in it names what is loaded
// or run (rule pages, operator libraries, engines, caches); those come from the command line.
//
//   select = ["fusion"]                 rules or categories; empty or absent: all. Modules and
//                                       lint each keep all where it names no rule of theirs
//   ignore = ["fusion/conv-batch-norm"]
//   exclude = ["third_party/**"]         files that `kadvise lint` leaves out, relative to this file
//   device = "cuda:0"                   as --device
//   fail-on = "warning"                 as --fail-on
//   budget = 30                         as --budget, in seconds
//   baseline = "baseline.json"          as --baseline, relative to this file
//   [per-path-ignores]                  of sources and modules, relative to this file -> rules or categories
//   "legacy/**" = ["fusion"]
//   [severity]                          the more specific of an id and a category counts
//   "graph-break" = "error"             note, opportunity, warning, error, off
//   [[suppress]]                        by id, or by rule and module path; the reason is required
//   rule = "fusion/add-layer-norm"
//   where = "encoder.layers.*"
//   reason = "the exported file must keep plain operators"
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/core/types.h"

namespace kadvise {

inline constexpr const char* kConfigurationName = "kadvise.toml";

struct PathIgnore {
  std::string glob;                // see pathMatches in core/glob.h
  std::vector<std::string> rules;  // ids or categories
  std::string at;                  // "kadvise.toml:9"
};

struct SeveritySetting {
  std::string rule;                  // id or category
  std::optional<Severity> severity;  // none: off
};

struct Suppression {
  std::string id;           // of one finding, or "" and:
  std::string rule, where;  // id or category, and a pattern of scopeMatches in core/glob.h
  std::string reason, at;
};

struct FailOn {
  std::optional<Severity> severity;  // none: never
};

struct Configuration {
  std::filesystem::path path;  // "" when there is no file
  std::vector<std::string> select, ignore, exclude;
  std::vector<PathIgnore> pathIgnores;
  std::vector<SeveritySetting> severities;
  std::vector<Suppression> suppressions;
  std::optional<std::string> device;
  std::optional<FailOn> failOn;
  std::optional<double> budgetSeconds;
  std::filesystem::path baseline;  // absolute when the file's own path is; "" for none
  // Every rule or category that the file names, and where: whether it exists, the rule book says.
  std::vector<std::pair<std::string, std::string>> named;
};

// The nearest kadvise.toml in the folder or above it, up to the root of the file system; "" when there is
// none. As with clang-tidy and ruff a .git folder is no boundary: a workspace of several repositories may
// have one file.
std::filesystem::path findConfiguration(const std::filesystem::path& folder);

// Throws Error{"kadvise.toml:line", ...} for what is no TOML, an unknown key, and a value of the wrong type.
Configuration readConfiguration(const std::filesystem::path&);
Configuration parseConfiguration(const std::filesystem::path&, const std::string& text);

// What the file makes of a rule's severity; no value when it is off.
std::optional<Severity> severityOf(const Configuration&, const std::string& rule, Severity ofPage);

// Whether a rule id is what the selector names: "fusion/add-layer-norm", or its category "fusion".
bool selectorCovers(const std::string& selector, const std::string& rule);
bool anyCovers(const std::vector<std::string>& selectors, const std::string& rule);

}  // namespace kadvise
