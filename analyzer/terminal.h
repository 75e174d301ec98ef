#pragma once

namespace kadvise {

bool isTerminal(int fd);
// Where what is written to one is read with what is written to the other: `2>&1`.
bool isSameFile(int fd, int other);
// A terminal that can rewrite a line: not TERM=dumb.
bool takesEscapes(int fd);
// Such a terminal, whose user has not set NO_COLOR.
bool wantsColors(int fd);
// Columns of the terminal, else $COLUMNS, else 100.
int terminalWidth(int fd);

}  // namespace kadvise
