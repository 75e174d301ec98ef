// Lines that changed since a revision of git.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/lint/moved_lines.h"

namespace kadvise {

struct ChangedFile {
  LineRanges
      lines;  // written since, of the file as it is now, both ends included; none where some were deleted
  std::filesystem::path folder;  // of its repository
  std::string before;            // its name in the revision; "": it was not there
};

// By absolute path; a file without a change is absent. One that git does not know is written as a whole.
using ChangedFiles = std::map<std::string, ChangedFile>;

// Runs git in each folder. Throws Error when one is in no repository or the revision is unknown there.
ChangedFiles changedSince(const std::string& revision, const std::vector<std::filesystem::path>& folders);

// The file's text in the revision; none where there is none, or git lacks it.
std::optional<std::string> textBefore(const std::string& revision, const ChangedFile&);

// What `git diff -U0` prints, as such files; folder: that its paths start at.
ChangedFiles parseDiff(const std::string& diff, const std::filesystem::path& folder);

}  // namespace kadvise
