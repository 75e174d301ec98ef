#include <cstdio>

#include "analyzer/commands.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/print.h"
#include "analyzer/terminal.h"
#include "reports/text.h"

namespace kadvise {

void printReport(const Report& report, const CommandLine& line) {
  if (line.json == "-") return print(toText(report));
  if (!line.json.empty()) writeFile(line.json, toText(report));
  if (line.quiet) return;
  TextStyle style{terminalWidth(1),
                  line.color == Color::Always || (line.color == Color::Auto && wantsColors(1)), line.verbose};
  print(renderText(report, style));
}

// On a terminal the report has just said them; where it goes into a file or a pipe they would pass unseen.
void warnOfErrors(const Report& report, const CommandLine& line) {
  bool isSeen = !line.quiet && line.json != "-" && (isTerminal(1) || isSameFile(1, 2));
  if (isSeen) return;
  for (auto& e : report.errors) warn((e.where.empty() ? "" : e.where + ": ") + e.what);
}

int renderReport(const CommandLine& line) {
  printReport(readReport(line.arguments.front()), line);
  return 0;
}

}  // namespace kadvise
