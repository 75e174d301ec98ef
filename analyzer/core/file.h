// Files: read with a bound, written whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace kadvise {

// Throws Error when the file is not readable, not a regular file, or longer than limitBytes.
std::string readFile(const std::filesystem::path&, std::size_t limitBytes = 64u << 20);

// Whether it is something to write into, whose place no file can take: a pipe, a terminal, /dev/null, or the
// name of an open file (/dev/stdout, /dev/fd/3).
bool isStream(const std::filesystem::path&);

// All of the text; false where that failed, with errno.
bool writeAll(int fd, std::string_view text);

// Writes beside the target and renames, so that a reader or an interrupt never sees half a file; into a
// stream as it is.
void writeFile(const std::filesystem::path&, std::string_view);

// The same of what another file holds, however long it is; throws where the target is a stream.
void copyFile(const std::filesystem::path& from, const std::filesystem::path& target);

// A name beside the target for writing in place and renaming by commitFile (large files that others write),
// which throws where the target is a stream.
std::filesystem::path temporaryBeside(const std::filesystem::path&);
void commitFile(const std::filesystem::path& temporary, const std::filesystem::path& target);
// What a process that was killed had begun in a folder, by such names.
void removeTemporaries(const std::filesystem::path& folder, int process);

}  // namespace kadvise
