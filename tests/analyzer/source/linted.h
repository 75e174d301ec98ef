// Sources of a test, linted with kadvise's own headers.
#pragma once

#include <string>
#include <vector>

#include "analyzer/source/lint_file.h"
#include "analyzer/source/preloads.h"
#include "tests/analyzer/core/temporary_folder.h"

namespace kadvise::source {

// The headers, read once for all cases of a program: they take longer than the rest of a case.
inline Preloads& sharedPreloads() {
  static test::TemporaryFolder folder;
  static Preloads preloads(folder.path / "headers");
  return preloads;
}

inline LintSettings stubSettings() {
  LintSettings out;
  out.preloads = &sharedPreloads();
  out.headers.own = KADVISE_SOURCE_DIR "/analyzer/source/headers";
  out.choice = HeaderChoice::Stub;
  return out;
}

inline RuleBook rulesNamed(const std::vector<std::string>& ids) {
  std::vector<std::string> paths;
  for (auto& id : ids) paths.push_back(KADVISE_SOURCE_DIR "/rules/" + id + ".md");
  return loadRules(paths);
}

inline LintResult linted(const std::string& text, const std::vector<std::string>& rules,
                         const std::string& file = "test.cu",
                         std::optional<std::vector<LineRange>> lines = {}) {
  return lintFile(rulesNamed(rules), stubSettings(), {file, text, std::nullopt, std::move(lines)});
}

// "3: unknown type name 'half'", of each a line.
inline std::string errorsOf(const std::string& text, const std::string& file = "test.cu") {
  std::string out;
  for (auto& e : linted(text, {}, file).parsed.errors)
    out += std::to_string(e.line) + ": " + e.message + "\n";
  return out;
}

}  // namespace kadvise::source
