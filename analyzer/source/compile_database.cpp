#include "analyzer/source/compile_database.h"

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/json.h"

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLimitBytes = 512u << 20;

fs::path normal(const fs::path& directory, const fs::path& file) {
  return (file.is_absolute() ? file : directory / file).lexically_normal();
}

std::size_t commonParts(const fs::path& a, const fs::path& b) {
  std::size_t n = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j) ++n;
  return n;
}

// A precompiled header of CMake's belongs to the sources of its target: to any other file it is nothing but
// thousands of lines to read.
void dropPrecompiled(std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size();) {
    bool isOne = arguments[i] == "-include" && fs::path(arguments[i + 1]).stem() == "cmake_pch";
    if (isOne)
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                      arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    else ++i;
  }
}

}  // namespace

CompileDatabase CompileDatabase::read(const fs::path& path) {
  Json list = Json::parse(readFile(path, kLimitBytes), nullptr, false);
  if (!list.is_array()) throw Error(path.string(), "is not a list of compile commands");
  CompileDatabase out;
  fs::path base = fs::absolute(path).parent_path();
  for (auto& item : list) {
    if (!item.is_object() || !item.contains("file") || !item["file"].is_string()) continue;
    Entry entry;
    std::string directory = item.contains("directory") && item["directory"].is_string()
                                ? item["directory"].get<std::string>()
                                : std::string();
    entry.directory = normal(base, directory);
    entry.file = normal(entry.directory, item["file"].get<std::string>());
    if (item.contains("arguments") && item["arguments"].is_array()) {
      for (auto& word : item["arguments"])
        if (word.is_string()) entry.call.push_back(word.get<std::string>());
    } else if (item.contains("command") && item["command"].is_string()) {
      entry.call = shellWords(item["command"].get<std::string>());
    }
    out.byFile_.emplace(entry.file.string(), out.entries_.size());
    out.entries_.push_back(std::move(entry));
  }
  return out;
}

std::optional<CompileCommand> CompileDatabase::of(const fs::path& file) const {
  fs::path absolute = fs::absolute(file).lexically_normal();
  auto it = byFile_.find(absolute.string());
  bool isBorrowed = it == byFile_.end();
  const Entry* entry = isBorrowed ? nearestTo(absolute) : &entries_[it->second];
  if (!entry) return std::nullopt;
  auto out = translate(entry->call, entry->directory);
  if (isBorrowed) dropPrecompiled(out.arguments);
  return out;
}

// The source of the same name, else the one whose folder has most in common; by the order of the database.
const CompileDatabase::Entry* CompileDatabase::nearestTo(const fs::path& header) const {
  const Entry* best = nullptr;
  std::size_t mostScore = 0;
  for (auto& entry : entries_) {
    std::size_t score = 2 * commonParts(entry.file.parent_path(), header.parent_path()) +
                        (entry.file.stem() == header.stem() ? 1 : 0);
    if (!best || score > mostScore) best = &entry, mostScore = score;
  }
  return best;
}

}  // namespace kadvise::source
