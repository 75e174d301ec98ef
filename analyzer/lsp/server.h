// The language server: one loop over the editor's messages, the parsers and what the user has started. What
// it promises stands in PROTOCOL.md.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/core/catalogue.h"
#include "analyzer/installation.h"
#include "analyzer/lsp/client.h"
#include "analyzer/lsp/document.h"
#include "analyzer/lsp/errands.h"
#include "analyzer/lsp/framing.h"
#include "analyzer/lsp/looks.h"
#include "analyzer/lsp/model_reports.h"
#include "analyzer/lsp/neighbours.h"
#include "analyzer/lsp/workspace.h"
#include "analyzer/work_dir.h"

namespace kadvise::lsp {

struct ServerOptions {
  std::vector<std::filesystem::path> rules;  // beside the bundled ones
  std::filesystem::path engines;             // "": beside the running program
  std::size_t memoryLimitBytes = 0;          // of a parser; 0: 1.5 GiB
  double timeLimitSeconds = 0;               // for one file; 0: 20
  long clientProcess = 0;                    // 0: not known
  std::function<bool()> interrupted;         // by a signal; asked after each wait
};

class Server {
 public:
  // Throws Error when the rule book or the parser is missing.
  Server(const ServerOptions&, int in, int out);
  int run();  // until the editor ends; the exit code

 private:
  enum class Phase { New, Running, ShutDown, Over };

  // A request for a text that is still being read.
  struct Deferred {
    Json id, params;
    std::string uri;
    Clock::time_point until;
    void (Server::*answer)(const Json& id, const Json& params, const Document&);
  };

  // server.cpp: the loop
  void wait();
  void readInput();
  void handle(const std::string& body);
  void dispatch(const Json& message);
  void everySecond();
  bool isClientGone() const;

  // server_life.cpp
  void initialize(const Json& id, const Json& params);
  void initialized(const Json&);
  void shutdown(const Json& id, const Json&);
  void exit(const Json&);
  void cancel(const Json& params);
  void cancelProgress(const Json& params);
  void askForSettings();
  void takeSettings(const std::vector<Json>&);
  void changeSettings(const Json& params);
  void changeFolders(const Json& params);
  void filesChanged(const Json& params);

  // server_documents.cpp
  void didOpen(const Json& params);
  void didChange(const Json& params);
  void didSave(const Json& params);
  void didClose(const Json& params);
  void lose(Document&);
  void loseAll();
  void lookAgain();  // at all documents
  FileSetup setupOf(const std::filesystem::path&);
  std::string configurationStampOf(const std::filesystem::path&) const;
  std::vector<Shown> shownIn(const Document&) const;
  Json diagnosticsOf(const Document&);
  void found(Document&);
  void publish(Document&);
  void publishDue();
  void refreshReports();
  void sayStatus();
  Json status() const;

  // server_neighbours.cpp
  void wantNeighbours();
  void stepNeighbours();
  void readNeighbour(const std::filesystem::path&);
  void tellSurroundings(const std::vector<OpenSource>&);
  std::vector<OpenSource> openSources() const;

  // server_requests.cpp
  void codeAction(const Json& id, const Json& params);
  void resolveAction(const Json& id, const Json& action);
  void hover(const Json& id, const Json& params);
  void pullDiagnostics(const Json& id, const Json& params);
  void answerActions(const Json& id, const Json& params, const Document&);
  void answerPull(const Json& id, const Json& params, const Document&);
  void answerDeferred(const Document&);
  void refuseDeferred(const std::string& uri);
  void answerOverdue();
  Document& documentOf(const Json& params);

  // server_commands.cpp
  void executeCommand(const Json& id, const Json& params);
  void lintFile(const Json& id, const Json& argument);
  void showRule(const Json& id, const Json& argument);
  void analyseModel(const Json& id, const Json& argument);
  void measureFix(const Json& id, const Json& argument);
  void runKadvise(const Json& id, std::vector<std::string> words, const std::filesystem::path& folder,
                  bool run, bool ofOneRule);

  // server_lint.cpp
  struct LintRun;
  struct LintErrand;
  std::vector<std::string> lintArguments(const std::filesystem::path& folder) const;
  std::vector<LintRun> lintRunsOf(const std::vector<std::filesystem::path>& folders) const;
  void lintWorkspace(const Json& id, const Json& argument);
  void lintNext(const Json& id, const std::shared_ptr<LintErrand>&);
  void publishLinted(const Json& report);

  ServerOptions options_;
  Installation installation_;
  Catalogue book_;
  WorkDir work_;
  int in_;
  Client client_;
  Framing framing_;
  Phase phase_ = Phase::New;
  bool isInputOver_ = false, wasShutDown_ = false;
  Workspace workspace_;
  Json settingsSeen_;
  Documents documents_;
  Looks looks_;
  Errands errands_;
  ModelReports reports_;
  FileTexts others_;
  Neighbours neighbours_;
  std::optional<Clock::time_point> neighboursDue_;
  std::vector<Deferred> deferred_;
  std::vector<std::pair<Json, std::string>> lintRequests_;  // of lintFile: the request, the document
  std::map<std::string, bool> published_;                   // documents that show something
  std::map<std::string, std::string> configurationStamps_;  // by folder
  Json statusSaid_;
  Clock::time_point second_;
};

}  // namespace kadvise::lsp
