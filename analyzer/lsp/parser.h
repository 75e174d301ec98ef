// One kadvise-source that reads what is asked of it, a text at a time. It is started when it is needed, again
// when it has died, and told new rules when those change.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <poll.h>

#include "analyzer/engine.h"
#include "analyzer/lint/source_pool.h"

namespace kadvise::lsp {

struct ParserJob {
  std::string uri;
  long generation = 0;
  Json prepare, lint;  // arguments of the verbs
  std::string doing;   // "reading ops.cu"
};

class Parser {
 public:
  Parser(Program, std::filesystem::path log, EngineLimits);
  ~Parser() { stop(); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  bool isBusy() const { return job_.has_value(); }
  const std::optional<ParserJob>& job() const { return job_; }
  double seconds() const;  // that it has worked on the job

  void start(ParserJob);
  // Once the job is done, whatever became of it.
  std::optional<SourceReply> step();
  void stop();  // kills the process, and with it the job
  // Precompiled headers, which later looks need: they are worth waiting for.
  bool isMakingHeaders() const;
  void addTo(std::vector<pollfd>&) const;
  std::size_t residentBytes() const;

 private:
  void ask();

  Program program_;
  std::filesystem::path log_;
  EngineLimits limits_;
  std::unique_ptr<Engine> engine_;
  Json prepared_;  // what the process was told; null: nothing yet
  bool isPreparing_ = false;
  std::optional<ParserJob> job_;
  std::vector<Finding> findings_;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace kadvise::lsp
