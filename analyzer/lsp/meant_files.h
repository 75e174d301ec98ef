// Which file a path of a report means today. The report may be of another machine, or the folder may have
// moved since: then a file of the same name is meant whose text has the lines that the report shows, and
// among several such the one whose folders are the report's. Where two could be meant, none is.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kadvise::lsp {

// A file that a report names, and lines that it showed of it.
struct ReportedFile {
  std::string path;
  std::vector<std::string> snippets;
};

// By the reported path; those that mean no file are left out. Relative paths start at the folder; roots are
// searched for files that are not where the report says.
std::map<std::string, std::filesystem::path> meantFiles(const std::vector<ReportedFile>&,
                                                        const std::filesystem::path& folder,
                                                        const std::vector<std::filesystem::path>& roots);

// Without a comment behind it and the blanks around it, with single ones inside: an indentation or a comment
// that changed is no other line.
std::string wordsOfLine(std::string_view);

// The same for two names of one file.
std::filesystem::path canonicalOf(const std::filesystem::path&);

}  // namespace kadvise::lsp
