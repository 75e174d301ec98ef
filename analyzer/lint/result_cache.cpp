#include "analyzer/lint/result_cache.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "analyzer/core/foreign_json.h"
#include "analyzer/core/hash.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = 32u << 20;
constexpr std::uintmax_t kMostBytesOfAll = std::uintmax_t{512} << 20;
constexpr std::size_t kMostEntries = 100000;
constexpr const char* kEnding = ".lint";

// "*.py": which files of that kind a folder has.
std::string stampOfFolder(const fs::path& folder, const fs::path& extension) {
  std::error_code ec;
  std::vector<std::string> names;
  std::size_t seen = 0;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end && ++seen < kMostEntries;
       at.increment(ec))
    if (at->path().extension() == extension) names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  std::string all;
  for (auto& name : names) all += name + "/";
  return stableHash(all);
}

// Its time and size, which cost no reading; "" where it is not there.
std::string freshStampOf(const fs::path& place) {
  std::error_code ec;
  if (place.stem() == "*") return stampOfFolder(place.parent_path(), place.extension());
  if (fs::is_directory(place, ec)) return "folder";
  auto size = fs::file_size(place, ec);
  if (ec) return "";
  auto time = fs::last_write_time(place, ec);
  return std::to_string(size) + ":" + std::to_string(time.time_since_epoch().count());
}

}  // namespace

ResultCache::ResultCache(KeptFiles files, const std::string& common)
    : files_(std::move(files)), common_(common) {}

// Asked once in a run: many files share their headers. What changes meanwhile is seen by the next run, which
// finds another stamp than was kept.
const std::string& ResultCache::stampOf(const std::string& header) {
  auto [known, isNew] = stamps_.try_emplace(header);
  if (isNew) known->second = freshStampOf(header);
  return known->second;
}

std::string ResultCache::keyOf(const std::string& file, const std::string& text,
                               const std::string& further) const {
  // Two hashes of 64 bits with different beginnings: results of another file are never taken for this one's.
  std::string all = common_ + "\n" + fs::absolute(file).lexically_normal().string() + "\n" + file + "\n" +
                    further + "\n" + text;
  return stableHash(all) + stableHash("second\n" + all);
}

std::optional<LintedFile> ResultCache::find(const std::string& key) {
  auto text = files_.read(key + kEnding, kMostBytes);
  if (!text) return std::nullopt;
  try {
    Json entry = parseForeign(*text);
    for (auto& [header, stamp] : entry.at("headers").items())
      if (stampOf(header) != stamp.get<std::string>()) return std::nullopt;
    LintedFile out = entry.at("file").get<LintedFile>();
    entry.at("record").get_to(out.record), entry.at("hostErrorCount").get_to(out.hostErrorCount);
    return out;
  } catch (const std::exception&) {
    return std::nullopt;  // half a file, or of another version: as if it were not there
  }
}

void ResultCache::keep(const std::string& key, const LintedFile& result) {
  bool isWhole = result.failure.empty() && result.searched.size() < kMostSearched;
  if (!files_ || !isWhole) return;
  Json headers = Json::object();
  for (auto& h : result.dependencies) headers[h] = stampOf(h);
  // A header or a script of the build that is missing would change the result where it appeared.
  for (auto& place : result.searched) headers[place] = stampOf(place);
  Json entry = {{"headers", headers},
                {"file", result},
                {"record", result.record},
                {"hostErrorCount", result.hostErrorCount}};
  files_.write(key + kEnding, entry.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!isSwept_) files_.sweep(kEnding, kMostBytesOfAll);
  isSwept_ = true;
}

}  // namespace kadvise
