// A report of an earlier run over a module, and where its findings stand in the text of today.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/core/catalogue.h"
#include "analyzer/lsp/meant_files.h"
#include "analyzer/lsp/shown.h"
#include "analyzer/lsp/text.h"

namespace kadvise::lsp {

// All places of a rule on one line of the user's code: twelve equal layers are one of it.
struct ModelFinding {
  std::string id, rule, message;
  std::vector<Passage> detail;  // for a hover
  Severity severity = Severity::Opportunity;
  Location where;
};

// What was measured of a rule's proposal.
struct Measured {
  std::string rule, words;
};

struct ModelReport {
  std::filesystem::path path;
  std::string stamp;  // changes when the file does
  std::string subject, headline;
  std::filesystem::path folder;  // that it was made in
  std::filesystem::path module;  // of the subject; "" when it is not there
  std::vector<std::string> command;
  bool isStale = false;  // the module has changed since
  long long time = 0;    // of the file, in seconds since 1970
  std::vector<ModelFinding> findings;
  std::vector<Measured> measured;
};

// None, and why, for a file that is no report of a module, or of another version, or too long.
std::optional<ModelReport> readModelReport(const std::filesystem::path&, const Catalogue&, std::string& why);
bool isTooLong(const std::filesystem::path&);
std::string stampOf(const std::filesystem::path&);
bool isModuleNewer(const ModelReport&);  // than the report

// The findings of the report in the file that it calls `reported`, at the lines where their code is now. One
// whose line is gone is a hint at the place where it was. isFileNewer: than the report.
std::vector<Shown> shownOf(const ModelReport&, const std::string& reported, const Text&, bool isFileNewer);

// The lines of a text by their words.
class LineIndex {
 public:
  explicit LineIndex(const Text&);
  // Of lines that are there only once: how far the code around them has moved.
  void learn(const Location&);
  // The line, from 0, that now holds what the location's line held: the one of the same words nearest to
  // where it should be; none where two are equally near.
  std::optional<std::size_t> anchorOf(const Location&) const;

 private:
  long shiftAt(std::size_t line) const;

  std::size_t lines_;
  std::unordered_map<std::string, std::vector<std::size_t>> byWords_;
  std::map<std::size_t, long> moved_;
};

}  // namespace kadvise::lsp
