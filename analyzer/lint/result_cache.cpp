#include "analyzer/lint/result_cache.h"

#include <fstream>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/hash.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = 32u << 20;

// Of a header: its time and size, which costs no reading; "" where it is not there.
std::string stampOf(const fs::path& file) {
  std::error_code ec;
  auto size = fs::file_size(file, ec);
  if (ec) return "";
  auto time = fs::last_write_time(file, ec);
  return std::to_string(size) + ":" + std::to_string(time.time_since_epoch().count());
}

}  // namespace

ResultCache::ResultCache(fs::path folder, const std::string& common)
    : folder_(std::move(folder)), common_(common) {
  if (folder_.empty()) return;
  std::error_code ec;
  fs::create_directories(folder_, ec);
  try {
    // Results are no sources: git need not see them.
    if (!ec && !fs::exists(folder_ / ".gitignore", ec)) writeFile(folder_ / ".gitignore", "*\n");
  } catch (const Error&) {
    folder_.clear();
  }
  if (ec) folder_.clear();
}

std::string ResultCache::keyOf(const std::string& file, const std::string& text,
                               const std::string& further) const {
  // Two hashes of 64 bits with different beginnings: results of another file are never taken for this one's.
  std::string all = common_ + "\n" + fs::absolute(file).lexically_normal().string() + "\n" + file + "\n" +
                    further + "\n" + text;
  return stableHash(all) + stableHash("second\n" + all);
}

std::optional<LintedFile> ResultCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::error_code ec;
  fs::path path = folder_ / (key + ".json");
  if (!fs::exists(path, ec)) return std::nullopt;
  try {
    Json entry = Json::parse(readFile(path, kMostBytes));
    for (auto& [header, stamp] : entry.at("headers").items())
      if (stampOf(header) != stamp.get<std::string>()) return std::nullopt;
    LintedFile out = entry.at("file").get<LintedFile>();
    entry.at("record").get_to(out.record);
    return out;
  } catch (const std::exception&) {
    return std::nullopt;  // half a file, or of another version: as if it were not there
  }
}

void ResultCache::keep(const std::string& key, const LintedFile& result) {
  if (folder_.empty() || !result.failure.empty()) return;
  Json headers = Json::object();
  for (auto& h : result.dependencies) headers[h] = stampOf(h);
  // A header that is missing would change the result where it appeared.
  fs::path folder = fs::absolute(result.path).parent_path();
  for (auto& name : result.missing) {
    fs::path place = (folder / name).lexically_normal();
    headers[place.string()] = stampOf(place);
  }
  // Renamed, but not forced to the disk: what a crash loses is read again.
  fs::path target = folder_ / (key + ".json"), temporary = temporaryBeside(target);
  std::ofstream out(temporary, std::ios::binary);
  Json entry = {{"headers", headers}, {"file", result}, {"record", result.record}};
  out << entry.dump(-1, ' ', false, Json::error_handler_t::replace);
  out.close();
  std::error_code ec;
  if (out) fs::rename(temporary, target, ec);
  else fs::remove(temporary, ec);
}

}  // namespace kadvise
