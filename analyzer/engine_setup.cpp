#include "analyzer/engine_setup.h"

#include "analyzer/machine.h"

namespace kadvise {
namespace fs = std::filesystem;

EngineSetup setUpEngines(const AssistantOptions& options, const std::vector<fs::path>& opLibraries,
                         const fs::path& workDir) {
  EngineSetup out;
  out.installation = findInstallation(ownFolder(), options.engines);
  out.graphProgram = engineProgram(out.installation.engines, "kadvise-graph");
  out.measureProgram = engineProgram(out.installation.engines, "kadvise-measure");
  out.limits = {options.timeLimitSeconds, options.memoryLimitBytes};
  if (!out.limits.residentBytes) out.limits.residentBytes = memoryBytes() / 4 * 3;
  out.workDir = workDir;
  out.opLibraries = Json::array();
  for (auto& library : opLibraries) out.opLibraries.push_back(fs::absolute(library).string());
  if (!out.installation.kernelLibrary.empty())
    out.opLibraries.push_back(out.installation.kernelLibrary.string());
  return out;
}

std::unique_ptr<Engine> EngineSetup::startGraph() const {
  return std::make_unique<Engine>(Program(graphProgram, installation.libraryPath), logOf("kadvise-graph"),
                                  limits);
}

std::unique_ptr<MeasureSession> EngineSetup::measure(Json openArguments) const {
  openArguments["workDir"] = workDir.string();
  openArguments["opLibraries"] = opLibraries;
  return std::make_unique<MeasureSession>(Program(measureProgram, installation.libraryPath),
                                          logOf("kadvise-measure"), limits, std::move(openArguments));
}

}  // namespace kadvise
