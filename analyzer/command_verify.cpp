#include <algorithm>
#include <filesystem>

#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/last_report.h"
#include "analyzer/print.h"
#include "analyzer/reported_run.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

constexpr int kFailed = 1, kUndecided = 2;
constexpr const char* kWorstInputs = "worst-inputs.pt";

bool isCaughtBySanitizer(const Report& report) {
  return report.pair && report.pair->sanitizer && report.pair->sanitizer->errors > 0 &&
         report.whole.outcome == Outcome::Failed;
}

int exitCode(const Report& report) {
  if (!report.component) {
    if (report.whole.outcome == Outcome::WrongOutput || isCaughtBySanitizer(report)) return kFailed;
    return report.errors.empty() && outputsEqual(report.whole) ? 0 : kUndecided;
  }
  auto any = [&](const char* status) {
    auto& all = report.component->properties;
    return std::any_of(all.begin(), all.end(), [&](auto& p) { return p.status == status; });
  };
  if (any("fail")) return kFailed;
  return report.errors.empty() && !any("unknown") ? 0 : kUndecided;
}

// Only the first is converted.
void requireTorchScript(const std::filesystem::path& first, const std::filesystem::path& second) {
  constexpr const char* kExported = ".pt2";
  if (second.extension() != kExported) return;
  throw Error(second.string(), first.extension() == kExported
                                   ? "is a second exported program, and one of the two has to be a "
                                     "TorchScript module (.pt)"
                                   : "is an exported program, which only the first of the two may be; name "
                                     "it first");
}

// "" where they cannot be kept: the verdict does not need them.
std::filesystem::path placeOfWorstInputs() {
  try {
    return keptFolder() / kWorstInputs;
  } catch (const Error& e) {
    warn("the inputs that differ most are not kept: " + std::string(e.what()));
    return {};
  }
}

// What the module is held against: exactly one thing.
Opponent opponentOf(const CommandLine& line) {
  bool second = line.arguments.size() > 1;
  int given = second + !line.expected.empty() + !line.component.empty();
  if (given != 1)
    throw Error(
        "verify",
        given
            ? "takes one of a second module, --expected and --component, not several"
            : "needs what to hold the module against: a second module, --expected FILE or --component KIND");
  if (!second && !line.sanitizer.empty())
    throw Error("verify", "--sanitize watches the comparison with a second module; give one");
  if (!line.component.empty()) return {};
  if (second) requireTorchScript(line.arguments[0], line.arguments[1]);
  return {second ? line.arguments[1] : "", line.expected, second ? placeOfWorstInputs() : "", !line.noTiming,
          line.sanitizer};
}

}  // namespace

int verify(CommandLine& line) {
  line.subject.path = line.arguments.front();
  Opponent opponent = opponentOf(line);
  Report report = withProgress(line, [&] {
    CompilerOptimizationAssistant assistant(line.assistant);
    return line.component.empty() ? assistant.verify(line.subject, opponent)
                                  : assistant.examine(line.subject, line.component, line.heads);
  });
  printReport(report, line);
  warnOfErrors(report, line);
  return exitCode(report);
}

}  // namespace kadvise
