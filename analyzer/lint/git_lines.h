// Lines that changed since a revision of git.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "analyzer/lint/moved_lines.h"

namespace kadvise {

// By absolute path: ranges of lines of the file as it is now, both ends included. A file that git does not
// know has one range over all of it; a file without a changed line is absent.
using ChangedLines = std::map<std::string, LineRanges>;

// Runs git in the working folder. Throws Error when it is no repository or the revision is unknown.
ChangedLines changedSince(const std::string& revision);

// What `git diff -U0` prints, as such lines; folder: that its paths start at.
ChangedLines parseDiff(const std::string& diff, const std::filesystem::path& folder);

}  // namespace kadvise
