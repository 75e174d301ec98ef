// Precompiled headers that a kadvise-source is making. One that dies over them leaves a mark, and they are
// not tried again for a day: where we stopped it ourselves that would be wrong.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace kadvise::lsp {

bool isMakingHeaders(const std::filesystem::path& cache, pid_t);
// Of a process that is gone: its pieces, and the marks of what it tried.
void forgetUnfinishedHeaders(const std::filesystem::path& cache, pid_t);

}  // namespace kadvise::lsp
