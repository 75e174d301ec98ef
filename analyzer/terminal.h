#pragma once

namespace kadvise {

bool isTerminal(int fd);
// Columns of the terminal, else $COLUMNS, else 100.
int terminalWidth(int fd);

}  // namespace kadvise
