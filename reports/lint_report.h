// What `kadvise lint` found, file by file. Every output format is a view of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/source_record.h"
#include "reports/report.h"

namespace kadvise {

struct SourceError {
  int line = 0;
  std::string message;
};

struct LintedFile {
  std::string path;
  std::string tier;     // of headers: toolkit, stub; "" when it was not read
  std::string failure;  // why it was not read; "" when it was
  std::vector<Finding> findings;
  std::vector<SourceError> errors;  // of the language, the first few: around them less is seen
  int errorCount = 0;
  std::vector<std::string> missing, dependencies;  // headers: not found; read
  int kernels = 0, brokenKernels = 0;
  int suppressed = 0;  // comments that kept findings out
  int known = 0;       // findings that are in the baseline, and not among those here
  // No part of a report:
  SourceRecord record;                // what it says of other files
  std::vector<std::string> searched;  // paths at which the missing headers were looked for
  int hostErrorCount = 0;             // errors that only the pass over the host's code has
  std::vector<Finding> inBaseline;    // those that are known
};

struct LintRule {
  std::string id, title, confidence;
  Severity severity = Severity::Opportunity;
  std::vector<std::string> tags;
  std::map<std::string, std::string> sections;
};

// Of a file whose fixes were applied, or would be.
struct FixedFile {
  std::string path, diff;
  int fixes = 0;
};

struct LintReport {
  Tool tool;
  std::vector<std::string> command;
  std::vector<LintedFile> files;          // in the order of their names
  std::map<std::string, LintRule> rules;  // those that findings name
  std::vector<FixedFile> fixed;
  bool isDryRun = false;                  // --diff: nothing was written
  std::optional<std::string> fixedInput;  // of --fix: standard input, as it is now
  int cached = 0;                         // files whose result was known
  std::vector<std::string> notes;
  std::vector<Diagnostic> errors;  // what could not be done
  // Not kept in JSON: findings of this severity fail a build; empty: none does.
  std::optional<Severity> failOn = Severity::Warning;
};

void to_json(Json&, const SourceError&);
void from_json(const Json&, SourceError&);
void to_json(Json&, const LintedFile&);
void from_json(const Json&, LintedFile&);
void to_json(Json&, const LintRule&);
void from_json(const Json&, LintRule&);  // but for the id, by which the report holds it
void to_json(Json&, const FixedFile&);
void from_json(const Json&, FixedFile&);
void to_json(Json&, const LintReport&);
void from_json(const Json&, LintReport&);

// Whether a file holds such a report, and not one of a module; false where it cannot be read.
bool isLintReport(const std::string& path);
// Throws Error where it is none, or of another version.
LintReport readLintReport(const std::string& path);

// "" where the rule's page has no such part.
std::string sectionOf(const LintRule&, const char* name);
// What to write: what the page has for C++, where it has that besides Python.
std::string insteadOf(const LintRule&);

// Whether any fix may be applied with --fix, or with --unsafe-fixes besides.
bool hasFix(const Finding&, Safety atLeast);

}  // namespace kadvise
