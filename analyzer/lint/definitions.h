// Which definitions a name means that is used in some file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzer/core/source_record.h"

namespace kadvise {

// A function of a file, by their places.
struct Place {
  std::size_t file = 0, function = 0;
  bool operator<(const Place& o) const { return std::tie(file, function) < std::tie(o.file, o.function); }
};

class Definitions {
 public:
  using Key = std::pair<std::string, int>;
  static Key keyOf(const FunctionName& f) { return {f.name, f.parameters}; }

  // file: its absolute path. What is internal is meant in its own file alone, or where it was declared.
  void add(const FunctionName&, Place, const std::filesystem::path& file, bool isInternal);

  // Those of the file itself; else those of the file in which the declaration was seen; else those that lie
  // nearest, where they are few. However many there are, a question costs the depth of the folders.
  std::vector<Place> meantBy(const FunctionName&, std::size_t from, const std::filesystem::path& file) const;

 private:
  struct OfName {
    std::map<std::size_t, std::vector<Place>> byFile;
    std::map<std::string, std::vector<Place>> byPath, byFolder;  // by each folder above it
  };
  std::map<Key, OfName> names_;
};

}  // namespace kadvise
