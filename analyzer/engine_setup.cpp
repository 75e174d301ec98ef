#include "analyzer/engine_setup.h"

#include <algorithm>

#include "analyzer/machine.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr double kDefaultSeconds = 600;
// BERT-base (418 MiB) takes 1 s and 0.7 GiB. What a small file may take grows with its code, which is most of
// it.
constexpr double kLoadingSeconds = 4, kSecondsPerMiBOfCode = 4, kMostMiBOfCode = 4, kWeightMiBPerSecond = 32;
constexpr std::size_t kLoadingBytes = std::size_t{3} << 29, kLoadingCopies = 4;

}  // namespace

EngineSetup setUpEngines(const AssistantOptions& options, const std::vector<fs::path>& opLibraries,
                         const fs::path& workDir) {
  EngineSetup out;
  out.installation = findInstallation(ownFolder(), options.engines);
  out.graphProgram = engineProgram(out.installation.engines, "kadvise-graph");
  out.measureProgram = engineProgram(out.installation.engines, "kadvise-measure");
  out.limitsGiven = options.timeLimitSeconds > 0 || options.memoryLimitBytes > 0;
  out.limits = {options.timeLimitSeconds > 0 ? options.timeLimitSeconds : kDefaultSeconds,
                options.memoryLimitBytes};
  if (!out.limits.residentBytes) out.limits.residentBytes = memoryBytes() / 4 * 3;
  out.workDir = workDir;
  out.opLibraries = Json::array();
  for (auto& library : opLibraries) out.opLibraries.push_back(fs::absolute(library).string());
  if (!out.installation.kernelLibrary.empty())
    out.opLibraries.push_back(out.installation.kernelLibrary.string());
  return out;
}

EngineLimits EngineSetup::limitsOfLoading(const fs::path& model) const {
  if (limitsGiven) return limits;
  std::error_code ec;
  auto bytes = static_cast<std::size_t>(fs::file_size(model, ec));
  if (ec) bytes = 0;
  EngineLimits out = limits;
  double mebibytes = static_cast<double>(bytes) / (1 << 20);
  out.computingSeconds = kLoadingSeconds + kSecondsPerMiBOfCode * std::min(mebibytes, kMostMiBOfCode) +
                         mebibytes / kWeightMiBPerSecond;
  out.residentBytes = std::min(limits.residentBytes, kLoadingBytes + kLoadingCopies * bytes);
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
