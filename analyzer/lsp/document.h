// An open document, and what is known of exactly this text of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "analyzer/lsp/text.h"
#include "reports/lint_report.h"

namespace kadvise::lsp {

using Clock = std::chrono::steady_clock;

struct Document {
  std::string uri, language;
  std::filesystem::path path;  // of a document that was never saved: its name, below no folder
  std::int64_t version = 0;    // the editor's
  long generation = 0;         // counts texts, whatever the editor's versions do
  Text text;
  bool isLost = false;    // a change of it could not be read: the text is known again when all of it is sent
  bool isSource = false;  // it is linted
  std::optional<LintedFile> result;  // of this text
  bool isFull = false;               // the result is that of the full look
  std::optional<Clock::time_point> fastDue;
  bool wantsFull = false;
  bool hasFull = false;                         // a full look sees more than the first one
  std::optional<Clock::time_point> publishDue;  // of what reports say of it
  Json surroundings;                            // what other files of the workspace say of it; null: nothing
  int deaths = 0;                               // of parsers, over this text
  std::string trouble;                          // why nothing is known: "kadvise-source was killed …"
};

bool isSourceFile(const std::string& language, const std::filesystem::path&);

class Documents {
 public:
  Document& open(const std::string& uri, const std::string& language, std::int64_t version, std::string text);
  // Throws Json::exception for changes that are none. To a lost document only a whole text says anything.
  void change(Document&, std::int64_t version, const Json& contentChanges);
  void close(const std::string& uri) { all_.erase(uri); }

  Document* find(const std::string& uri);
  Document* findPath(const std::filesystem::path&);
  std::map<std::string, Document>& all() { return all_; }
  const std::map<std::string, Document>& all() const { return all_; }

 private:
  std::map<std::string, Document> all_;
  long generation_ = 0;
};

}  // namespace kadvise::lsp
