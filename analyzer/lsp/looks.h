// Which document is looked at when: while one types with kadvise's own headers, on opening and saving with
// those of the machine. What is found in a text that is no longer the newest is thrown away.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/lsp/document.h"
#include "analyzer/lsp/file_setup.h"
#include "analyzer/lsp/parser.h"

namespace kadvise::lsp {

struct LookHooks {
  std::function<FileSetup(const Document&)> setup;
  const Catalogue& book;
  std::function<void(Document&)> found;  // the document's result is new
  std::function<void(const std::string&)> log;
};

// The first full look makes the precompiled form of the headers, so it may take longer.
struct LookLimits {
  EngineLimits fast, full;
};

class Looks {
 public:
  Looks(Documents&, const Installation&, const LookLimits&, std::filesystem::path workDir, LookHooks);

  void want(Document&, int delayMs, bool full);
  // Whether a first look at this text is still to come.
  bool isAwaited(const Document&) const;
  std::size_t waiting() const;  // documents with any look to come
  std::string reading() const;  // the file that is being read; "" for none
  void step();
  int msToNext() const;  // -1: nothing will happen of itself
  bool isBusy() const { return fast_.parser.isBusy() || full_.parser.isBusy(); }
  bool isReading() const { return !reading().empty(); }  // a document
  // The parser of full looks reads another file, while it has nothing else to do; done gets none where a
  // document came between, and the file may be lent again.
  void lend(ParserJob, std::function<void(std::optional<SourceReply>)> done);
  void endLending();
  void addTo(std::vector<pollfd>&) const;
  void restart();

 private:
  struct Lane {
    Parser parser;
    bool isFull = false;
    AssistantOptions assistant;  // of the job
  };
  Document* next(bool full) const;
  void begin(Lane&, Document&);
  void dropStale(Lane&);
  void dropLent();
  void settle(Lane&, const ParserJob&, SourceReply);
  void take(Lane&, Document&, LintedFile);

  Documents& documents_;
  LookHooks hooks_;
  Lane fast_, full_;
  std::function<void(std::optional<SourceReply>)> lentDone_;  // of the full lane's job; none for documents
};

}  // namespace kadvise::lsp
