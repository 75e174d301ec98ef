// compile_commands.json: which call of the build compiles a file. The file is data; nothing in it is run.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/source/compile_command.h"

namespace kadvise::source {

class CompileDatabase {
 public:
  // Throws Error when the file is no compilation database.
  static CompileDatabase read(const std::filesystem::path&);

  // The call for a file; of a header the call of a source beside it, so that its includes are found. The
  // includes of the header itself are those of the source: their folders are all that is taken over.
  std::optional<CompileCommand> of(const std::filesystem::path& file) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::filesystem::path file, directory;
    std::vector<std::string> call;
  };
  const Entry* nearestTo(const std::filesystem::path& header) const;

  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> byFile_;  // normal path -> the first entry
};

}  // namespace kadvise::source
