// What the commands have in common that run for a while and end in a report.
#pragma once

#include "analyzer/commands.h"
#include "analyzer/interrupt.h"
#include "analyzer/progress_line.h"

namespace kadvise {

// Calls make(), which uses line.assistant, with progress on standard error and an end at an interrupt.
template <class Make>
auto withProgress(CommandLine& line, const Make& make) {
  ProgressLine progress(progressForm(line.quiet));
  line.assistant.progress = [&](const Progress& p) { progress.show(p); };
  line.assistant.interrupted = [] { return interruptSignal() != 0; };
  auto result = make();
  line.assistant.progress = nullptr;
  return result;  // the destructor clears the line
}

}  // namespace kadvise
