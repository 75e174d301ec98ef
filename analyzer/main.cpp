// kadvise: the command line. It starts in milliseconds because modules are opened in other programs only.
#include <exception>
#include <string>

#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/interrupt.h"
#include "analyzer/print.h"

namespace kadvise {
namespace {

constexpr int kCouldNotRun = 2;

int run(CommandLine& line) {
  switch (line.command) {
    case Command::Advise:
      return advise(line);
    case Command::RulesList:
      return listRules(line);
    case Command::RulesShow:
      return showRules(line);
    case Command::RulesTest:
      return testRules(line);
    case Command::Verify:
      return verify(line);
    case Command::WhyNot:
      return whyNot(line);
    case Command::Profile:
      return profile(line);
    case Command::Levels:
      return levels(line);
    case Command::Bench:
      return bench(line);
    case Command::Doctor:
      return doctor(line);
    case Command::Lint:
      return lintSources(line);
    case Command::Lsp:
      return serveEditor(line);
    case Command::Report:
      return renderReport(line);
  }
  return kCouldNotRun;
}

int guarded(int argc, char** argv) {
  try {
    CommandLine line = parseCommandLine(argc, argv);
    watchForInterrupts();
    return run(line);
  } catch (const Farewell& f) {
    if (f.exitCode == 0) print(f.text);
    else printError(f.text);
    return f.exitCode;
  } catch (const Interrupted&) {
    warn("interrupted");
    return kSignalBase + interruptSignal();
  } catch (const std::exception& e) {
    warn(e.what());
    return kCouldNotRun;
  }
}

}  // namespace
}  // namespace kadvise

int main(int argc, char** argv) { return kadvise::guarded(argc, argv); }
