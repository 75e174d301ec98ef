#include "analyzer/configured.h"

#include <system_error>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

// As seen from the working folder, so that messages are short.
fs::path nearest() {
  fs::path found = findConfiguration(fs::current_path());
  std::error_code ec;
  fs::path relative = fs::relative(found, ec);
  return found.empty() || ec || relative.empty() ? found : relative;
}

// A baseline that is about to be written need not be there yet.
void takeBaseline(AssistantOptions& options) {
  std::error_code ec;
  if (options.baseline.empty()) options.baseline = options.configuration.baseline;
  if (options.baseline.empty() || fs::exists(options.baseline, ec)) return;
  if (options.writeBaseline.empty())
    throw Error(options.baseline.string(),
                "no such baseline; write it with --write-baseline " + options.baseline.string());
  options.baseline.clear();
}

}  // namespace

void applyConfiguration(CommandLine& line) {
  AssistantOptions& options = line.assistant;
  fs::path path = line.noConfig ? fs::path() : line.config.empty() ? nearest() : line.config;
  if (!path.empty()) options.configuration = readConfiguration(path);
  const Configuration& file = options.configuration;
  if (file.device && !line.given.device) line.subject.device = *file.device;
  if (file.budgetSeconds && !line.given.budget) options.budgetSeconds = *file.budgetSeconds;
  if (file.failOn && !line.given.failOn) line.failOn = file.failOn->severity;
  takeBaseline(options);
}

}  // namespace kadvise
