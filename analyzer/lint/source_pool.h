// Several kadvise-source at work on one list of files. One that dies costs the file that it was reading.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/engine.h"

namespace kadvise {

struct SourceJob {
  Json arguments;     // of the verb lint
  std::string doing;  // "reading ops.cu"
};

struct SourceReply {
  Reply reply;
  std::vector<Finding> findings;
};

// Of one file, or of one page of rules over sources.
EngineLimits limitsOfSources(const AssistantOptions&);

class SourcePool {
 public:
  // prepare: arguments of that verb, sent to each engine first.
  SourcePool(Program, Json prepare, EngineLimits, std::filesystem::path workDir, int engines);

  // done(job, reply) is called as jobs end, in whatever order. Throws Interrupted, and Error when an engine
  // refuses the rules.
  void run(const std::vector<SourceJob>&, const std::function<void(std::size_t, SourceReply)>& done,
           const WaitHooks&);

 private:
  struct Worker {
    std::unique_ptr<Engine> engine;
    bool isPrepared = false;
    std::size_t job = 0;
    std::vector<Finding> findings;
  };
  void give(Worker&, const SourceJob&);
  void settle(Worker&, const std::function<void(std::size_t, SourceReply)>& done, std::size_t& open);

  Program program_;
  Json prepare_;
  EngineLimits limits_;
  std::filesystem::path workDir_;
  std::size_t most_;
  std::vector<Worker> workers_;
};

}  // namespace kadvise
