// Findings as the editor gets them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/core/catalogue.h"
#include "analyzer/lsp/client.h"
#include "analyzer/lsp/file_texts.h"
#include "analyzer/lsp/markdown.h"
#include "analyzer/lsp/text.h"
#include "reports/lint_report.h"

namespace kadvise::lsp {

enum class Kind { Source, Model, Language };

// One diagnostic.
struct Shown {
  Kind kind = Kind::Source;
  std::string id, rule, message;
  Severity severity = Severity::Note;
  Range range;
  bool isUnnecessary = false;
  const Finding* finding = nullptr;  // of a source; it outlives this
  std::string report;                // of a model finding
  std::vector<Passage> detail;       // of a model finding, for a hover
};

// Columns of the location, where it has any; else the line without the blanks around it.
Range rangeIn(const Text&, const Location&);

std::vector<Shown> shownOf(const Text&, const LintedFile&, bool withSyntaxErrors);

// Of which document, and what it takes to say it.
struct DiagnosticPlace {
  const Catalogue& book;
  const ClientCan& can;
  const std::string& uri;
  const Text& text;
  FileTexts& others;  // that related places are in
};

Json diagnosticOf(const Shown&, const DiagnosticPlace&);

bool contains(const Range&, Position);
bool touch(const Range&, const Range&);

}  // namespace kadvise::lsp
