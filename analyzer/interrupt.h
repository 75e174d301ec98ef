// Ctrl-C and its relatives as a question that the front asks.
#pragma once

namespace kadvise {

// Takes over SIGINT, SIGTERM and SIGHUP, and lets writing to a closed pipe be an error instead of a death:
// the work folder is to be removed in each case.
void watchForInterrupts();
// The signal that came, 0 for none.
int interruptSignal();
// Added to it for the exit code, as shells do.
inline constexpr int kSignalBase = 128;

}  // namespace kadvise
