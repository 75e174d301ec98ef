#include "analyzer/core/archive.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "analyzer/core/error.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kDirectoryHeader = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50;
constexpr std::uint64_t kLocalHeaderBytes = 30, kDirectoryHeaderBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                        kLocatorBytes = 20;
constexpr std::uint64_t kLongestComment = 0xffff, kIn64 = 0xffffffff;
constexpr std::uint64_t kLargestDirectoryBytes = 64u << 20;
// Code is stored deflated, weights are not: an honest file unpacks to little more than its own size.
constexpr std::uint64_t kAlwaysAllowedBytes = 256u << 20, kAllowedFactor = 4;

class Reader {
 public:
  explicit Reader(const fs::path& path) : path_(path), in_(path, std::ios::binary) {
    if (!in_) throw Error(path.string(), "cannot be read");
    bytes_ = fs::file_size(path);
  }
  std::uint64_t bytes() const { return bytes_; }
  [[noreturn]] void fail(const std::string& why) const { throw Error(path_.string(), why); }
  [[noreturn]] void damaged(const std::string& how) const { fail("is a damaged zip archive: " + how); }

  std::string read(std::uint64_t offset, std::uint64_t count) {
    if (offset > bytes_ || count > bytes_ - offset)
      damaged("its directory points behind the end of the file");
    std::string out(count, '\0');
    in_.seekg(static_cast<std::streamoff>(offset));
    if (!in_.read(out.data(), static_cast<std::streamsize>(count))) fail("cannot be read");
    return out;
  }

 private:
  fs::path path_;
  std::ifstream in_;
  std::uint64_t bytes_ = 0;
};

std::uint64_t number(const std::string& from, std::uint64_t at, int width) {
  std::uint64_t out = 0;
  for (int i = 0; i < width; ++i)
    out |= std::uint64_t{static_cast<unsigned char>(from.at(at + i))} << (8 * i);
  return out;
}

struct Directory {
  std::uint64_t offset = 0, bytes = 0, count = 0;
};

// Larger archives keep the true figures in a second record, which a locator before the first one names.
std::optional<Directory> directory64(Reader& file, std::uint64_t endOffset) {
  if (endOffset < kLocatorBytes) return std::nullopt;
  auto locator = file.read(endOffset - kLocatorBytes, kLocatorBytes);
  if (number(locator, 0, 4) != kEnd64Locator) return std::nullopt;
  auto end = file.read(number(locator, 8, 8), kEnd64Bytes);
  if (number(end, 0, 4) != kEnd64) file.damaged("its large-file record is not where it should be");
  return Directory{number(end, 48, 8), number(end, 40, 8), number(end, 32, 8)};
}

Directory findDirectory(Reader& file) {
  auto tailBytes = std::min(file.bytes(), kEndBytes + kLongestComment);
  auto tail = file.read(file.bytes() - tailBytes, tailBytes);
  for (std::size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; at-- > 0;) {
    if (number(tail, at, 4) != kEnd) continue;
    auto endOffset = file.bytes() - tailBytes + at;
    if (auto large = directory64(file, endOffset)) return *large;
    return {number(tail, at + 16, 4), number(tail, at + 12, 4), number(tail, at + 10, 2)};
  }
  file.fail("is cut off: the zip archive's directory, at its end, is missing; copy or save the file again");
}

// The 64-bit figures of an entry stand in its extra field, in this order, each only where the short one is
// full.
void readLargeSizes(const std::string& extra, ArchiveEntry& e, std::uint64_t& offset) {
  for (std::uint64_t at = 0; at + 4 <= extra.size();) {
    auto id = number(extra, at, 2), length = number(extra, at + 2, 2);
    at += 4;
    if (id == 1) {
      auto next = at, end = std::min<std::uint64_t>(at + length, extra.size());
      for (auto* figure : {&e.bytes, &e.packedBytes, &offset})
        if (*figure == kIn64 && next + 8 <= end) *figure = number(extra, next, 8), next += 8;
    }
    at += length;
  }
}

ArchiveEntry readEntry(Reader& file, const std::string& directory, std::uint64_t& at) {
  if (at + kDirectoryHeaderBytes > directory.size() || number(directory, at, 4) != kDirectoryHeader)
    file.damaged("its directory cannot be read");
  auto nameBytes = number(directory, at + 28, 2), extraBytes = number(directory, at + 30, 2),
       commentBytes = number(directory, at + 32, 2), method = number(directory, at + 10, 2);
  auto end = at + kDirectoryHeaderBytes + nameBytes + extraBytes + commentBytes;
  if (end > directory.size()) file.damaged("its directory is cut off");
  ArchiveEntry e;
  e.name = directory.substr(at + kDirectoryHeaderBytes, nameBytes);
  e.crc = static_cast<std::uint32_t>(number(directory, at + 16, 4));
  e.packedBytes = number(directory, at + 20, 4);
  e.bytes = number(directory, at + 24, 4);
  e.deflated = method == 8;
  auto offset = number(directory, at + 42, 4);
  readLargeSizes(directory.substr(at + kDirectoryHeaderBytes + nameBytes, extraBytes), e, offset);
  at = end;
  if (method != 0 && method != 8) file.damaged("an entry is packed in a way that torch does not write");
  if (number(directory, end - commentBytes - extraBytes - nameBytes - kDirectoryHeaderBytes + 8, 2) & 1)
    file.fail("is an encrypted zip archive");
  if (number(file.read(offset, kLocalHeaderBytes), 0, 4) != kLocalHeader)
    file.damaged("an entry is not where the directory says");
  if (e.packedBytes > file.bytes() - offset) file.damaged("an entry is longer than the file");
  if (!e.deflated && e.bytes != e.packedBytes) file.damaged("an entry declares another size than it has");
  return e;
}

}  // namespace

bool Archive::has(const std::string& path) const {
  return std::any_of(entries.begin(), entries.end(), [&](const ArchiveEntry& e) {
    auto slash = e.name.find('/');
    return slash != std::string::npos && e.name.compare(slash + 1, std::string::npos, path) == 0;
  });
}

Archive readArchiveDirectory(const fs::path& path) {
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path.string(), "no such file");
  if (!fs::is_regular_file(path, ec))
    throw Error(path.string(), "is not a regular file; give a module saved by torch.jit.save");
  Reader file(path);
  if (file.bytes() == 0) throw Error(path.string(), "is empty");
  auto magic = file.read(0, std::min<std::uint64_t>(4, file.bytes()));
  if (magic.size() < 4 || (number(magic, 0, 4) != kLocalHeader && number(magic, 0, 4) != kEnd))
    file.fail(
        "is not a TorchScript archive or an exported program (not a zip file); write one with torch.jit.save "
        "or "
        "torch.export.save");
  auto where = findDirectory(file);
  if (where.bytes > kLargestDirectoryBytes) file.damaged("its directory declares an absurd size");
  auto directory = file.read(where.offset, where.bytes);
  Archive out{file.bytes(), {}};
  std::uint64_t packed = 0, unpacked = 0, at = 0;
  while (at < directory.size()) {
    out.entries.push_back(readEntry(file, directory, at));
    packed += out.entries.back().packedBytes;
    auto bytes = out.entries.back().bytes;
    if (bytes > UINT64_MAX - unpacked) file.damaged("its entries declare absurd sizes");
    unpacked += bytes;
  }
  if (out.entries.size() != where.count)
    file.damaged("its directory does not hold as many entries as it says");
  // Entries that share their bytes are how a small file unpacks to anything.
  if (packed > file.bytes()) file.damaged("its entries overlap");
  if (unpacked > std::max(kAlwaysAllowedBytes, kAllowedFactor * file.bytes()))
    file.fail("would unpack to " + std::to_string(unpacked >> 20) + " MiB from " +
              std::to_string((file.bytes() >> 10) + 1) + " KiB, which no saved module does (a zip bomb?)");
  return out;
}

std::uint32_t crc32(const void* data, std::size_t bytes) {
  constexpr auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xedb88320u : 0u);
    }
    return table;
  }();
  std::uint32_t crc = 0xffffffffu;
  auto* at = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) crc = (crc >> 8) ^ kTable[(crc ^ at[i]) & 0xff];
  return crc ^ 0xffffffffu;
}

}  // namespace kadvise
