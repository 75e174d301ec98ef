#include "kernels/common/file_cache.h"

#include "kernels/common/own_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <vector>

namespace kadvise {
namespace {

// An entry: this, the key and the value. The whole key is kept, so that two keys of one hash cannot be mixed
// up.
struct Header {
  char magic[8];
  std::uint64_t keyBytes, valueBytes, checksum;
};
constexpr char kMagic[8] = {'k', 'a', 'd', 'v', 'i', 's', 'e', '1'};
constexpr std::uint64_t kMostEntryBytes = std::uint64_t{64} << 20;

// FNV-1a over words of 8 bytes, with a last mix: against accidents, not against enemies, whom the folder
// keeps out.
std::uint64_t hashOf(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = seed ^ bytes.size();
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3 ^ hash >> 29; };
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    mix(word);
    bytes.remove_prefix(8);
  }
  for (const char byte : bytes) mix(static_cast<unsigned char>(byte));
  mix(hash >> 32);
  return hash;
}

std::uint64_t checksumOf(std::string_view key, std::string_view value) {
  return hashOf(value, hashOf(key, 0xcbf29ce484222325));
}

std::string hexOf(std::uint64_t number) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number >>= 4)
    *digit = "0123456789abcdef"[number & 15];
  return text;
}

std::string nameOf(std::string_view key, const std::string& kind) {
  return hexOf(hashOf(key, 0x9e3779b97f4a7c15)) + hexOf(hashOf(key, 0xc2b2ae3d27d4eb4f)) + "." + kind;
}

std::string fromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string cacheFolder() {
  if (const char* asked = std::getenv("KADVISE_CACHE_DIR")) return asked;
  if (const auto cache = fromEnvironment("XDG_CACHE_HOME"); !cache.empty()) return cache + "/kadvise";
  if (const auto home = fromEnvironment("HOME"); !home.empty()) return home + "/.cache/kadvise";
  return {};
}

FileCache::FileCache(std::string folder, std::string kind, std::uint64_t mostBytes)
    : folder_(std::move(folder)), kind_(std::move(kind)), mostBytes_(mostBytes), unswept_(mostBytes) {}

std::string FileCache::fileOf(std::string_view key) const { return folder_ + "/" + nameOf(key, kind_); }

std::optional<std::string> FileCache::read(std::string_view key) const {
  const OwnFolder folder(folder_);
  const auto entry = readOwnFile(folder, nameOf(key, kind_), kMostEntryBytes);
  Header header;
  if (!entry || entry->size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, entry->data(), sizeof(header));
  const std::string_view rest = std::string_view(*entry).substr(sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.keyBytes != key.size())
    return std::nullopt;
  if (rest.size() < key.size() || rest.size() - key.size() != header.valueBytes) return std::nullopt;
  if (rest.substr(0, key.size()) != key) return std::nullopt;
  const std::string_view value = rest.substr(key.size());
  if (checksumOf(key, value) != header.checksum) return std::nullopt;
  return std::string(value);
}

void FileCache::write(std::string_view key, std::string_view value) {
  Header header{{}, key.size(), value.size(), checksumOf(key, value)};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  std::string entry(reinterpret_cast<const char*>(&header), sizeof(header));
  entry.append(key).append(value);
  if (entry.size() > kMostEntryBytes || entry.size() > mostBytes_ || !makeOwnFolder(folder_)) return;
  const OwnFolder folder(folder_);
  if (!writeOwnFile(folder, nameOf(key, kind_), entry)) return;
  // The first write of a process looks the folder over, and then each that brings a sixteenth of what it may
  // hold.
  if ((unswept_ += entry.size()) < mostBytes_ / 16) return;
  unswept_ = 0;
  dropOldest(folder.handle());
}

void FileCache::dropOldest(int folder) const {
  struct Entry {
    timespec used;
    std::uint64_t bytes;
    std::string name;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  for (std::string& name : filesOf(folder, "." + kind_)) {
    struct stat facts;
    if (fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode)) continue;
    total += static_cast<std::uint64_t>(facts.st_size);
    entries.push_back({facts.st_mtim, static_cast<std::uint64_t>(facts.st_size), std::move(name)});
  }
  if (total <= mostBytes_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) < std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  for (const Entry& entry : entries) {
    if (total <= mostBytes_ / 4 * 3) return;  // room for a while
    if (unlinkat(folder, entry.name.c_str(), 0) == 0) total -= entry.bytes;
  }
}

}  // namespace kadvise
