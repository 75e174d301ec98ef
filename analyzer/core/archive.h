// The directory of a zip archive, read and judged before a library opens the file: what a damaged or hostile
// archive declares is bounded by what the file can hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kadvise {

struct ArchiveEntry {
  std::string name;  // as stored, with the archive's own folder in front: "model/data.pkl"
  std::uint64_t packedBytes = 0, bytes = 0;
  std::uint32_t crc = 0;  // of the unpacked bytes; 0 where the writer computed none
  bool deflated = false;
};

struct Archive {
  std::uint64_t fileBytes = 0;
  std::vector<ArchiveEntry> entries;

  // Whether an entry has this path below the archive's own folder ("data.pkl" for "model/data.pkl").
  bool has(const std::string& path) const;
};

// Throws Error with one sentence: not a regular file, empty, not a zip archive, cut off, damaged, or
// unpacking to far more than the file holds.
Archive readArchiveDirectory(const std::filesystem::path&);

// The CRC-32 that zip archives use.
std::uint32_t crc32(const void* data, std::size_t bytes);

}  // namespace kadvise
