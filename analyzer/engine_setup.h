// What it takes to start the two engines of a run.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/engine.h"
#include "analyzer/installation.h"
#include "analyzer/measure_session.h"

namespace kadvise {

struct EngineSetup {
  Installation installation;
  EngineLimits limits;
  std::filesystem::path graphProgram, measureProgram, workDir;
  Json opLibraries;  // the user's, then our kernel library: whatever the level, rules need its schemas

  bool limitsGiven = false;  // by the user: they hold for everything then

  std::unique_ptr<Engine> startGraph() const;
  // Reading a file runs code in it: what that may use depends on the size of the file.
  EngineLimits limitsOfLoading(const std::filesystem::path& model) const;
  // Arguments of `open` beside workDir and opLibraries. Nothing is started yet.
  std::unique_ptr<MeasureSession> measure(Json openArguments) const;
  std::filesystem::path logOf(const std::string& engine) const { return workDir / (engine + ".log"); }
};

// Throws Error when a program is missing.
EngineSetup setUpEngines(const AssistantOptions&, const std::vector<std::filesystem::path>& opLibraries,
                         const std::filesystem::path& workDir);

}  // namespace kadvise
