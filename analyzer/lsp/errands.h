// Runs of kadvise itself that the editor asked for: each with its progress, which the user can end.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/child.h"
#include "analyzer/lsp/client.h"

namespace kadvise::lsp {

struct ErrandEnd {
  ChildExit exit;
  std::string output;  // of both streams, the last part of it
};

// What the user is told when a run is over.
struct ErrandAnswer {
  Json result;           // to who asked
  std::string refusal;   // instead of it
  std::string words;     // the last ones of the progress
  bool isLater = false;  // another run goes on with the request
};

class Errands {
 public:
  Errands(Client& client, std::filesystem::path workDir) : client_(client), workDir_(std::move(workDir)) {}

  ~Errands();
  Errands(const Errands&) = delete;
  Errands& operator=(const Errands&) = delete;

  // request: that this answers. done is not asked when the user has stopped the run. Throws Error when the
  // program cannot be started, or too many run already.
  void start(const Json& request, const std::string& title, const Program&,
             std::function<ErrandAnswer(const ErrandEnd&)> done);
  void step();
  void cancelToken(const Json& token);
  void cancelRequest(const Json& id);
  bool any() const { return !running_.empty(); }

 private:
  struct Errand {
    Json request;
    std::string token;
    std::filesystem::path log;
    std::unique_ptr<Child> child;
    std::function<ErrandAnswer(const ErrandEnd&)> done;
    std::chrono::steady_clock::time_point since, reported, cancelled;
    bool hasProgress = false, isCancelled = false;
  };
  void report(Errand&);
  void cancel(Errand&);
  void end(Errand&, const ChildExit&);

  Client& client_;
  std::filesystem::path workDir_;
  std::vector<std::unique_ptr<Errand>> running_;
  int count_ = 0;
};

}  // namespace kadvise::lsp
