// kadvise-measure alone, without kadvise-graph: opened on one module, or on none, and asked. For the commands
// that change nothing in the module.
#pragma once

#include <memory>
#include <string>

#include "analyzer/assistant.h"
#include "analyzer/engine_setup.h"
#include "analyzer/work_dir.h"

namespace kadvise {

class MeasureRun {
 public:
  // Throws Error for what is wrong before an engine starts. The report gets what is known then.
  MeasureRun(const AssistantOptions&, const Subject&, Report&);

  // Whether it could be opened; why not is in the report's errors.
  bool open();
  // As done's body; none when it failed, and the report's errors say why.
  std::optional<Json> ask(const std::string& verb, const Json& arguments, const std::string& doing);
  // The same without a word in the report's errors.
  Reply tryAsking(const std::string& verb, const Json& arguments, const std::string& doing);

  const std::filesystem::path& workDir() const { return work_.path(); }
  const EngineSetup& setup() const { return setup_; }
  // A process of its own, opened on the same module: what crashes there costs nothing here.
  std::unique_ptr<MeasureSession> another() const { return setup_.measure(openArguments_); }
  WaitHooks hooks(const std::string& doing);
  MessageHandler reporting();

 private:
  void fail(const Reply&);
  Reply readInGraph();
  bool convert();
  Reply guessInputs(Reply refused);

  const AssistantOptions& options_;
  Report& report_;
  std::filesystem::path subject_;
  bool areInputsGiven_;
  std::string remedyForInputs_;  // where those do not fit
  WorkDir work_;                 // before the engine, which ends first
  EngineSetup setup_;
  Json openArguments_;
  std::unique_ptr<MeasureSession> measure_;
  Progress progress_;
};

}  // namespace kadvise
