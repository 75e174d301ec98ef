// What other files of the workspace say of the open ones, as the files of one run of `kadvise lint` do: the
// launches of a kernel, the calls of a function. Every source's names are known, cheaply; only files that
// name something of an open one are read in full, then those that name their callers, until there are none.
// It works in small steps, while nothing else is to be done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/core/source_record.h"

namespace kadvise::lsp {

// An open document, and what its text says.
struct OpenSource {
  std::filesystem::path path;
  const SourceRecord* record = nullptr;
};

class Neighbours {
 public:
  // The files are listed anew: of these folders, but for those that isLeft names.
  void begin(std::vector<std::filesystem::path> folders,
             std::function<bool(const std::filesystem::path&)> isLeft);
  bool isUnderWay() const { return stage_ != Stage::Over; }

  // Works for some milliseconds; answers a file that is to be read in full, for which take() or fail() is
  // wanted before the next step.
  std::optional<std::filesystem::path> step(const std::vector<OpenSource>&);
  void take(const std::filesystem::path&, SourceRecord);
  void fail(const std::filesystem::path&);

  // Of each open document, once isUnderWay() is false.
  std::map<std::filesystem::path, Surroundings> around(const std::vector<OpenSource>&) const;
  // Why less is known than could be; "" mostly.
  const std::string& limit() const { return limit_; }

 private:
  enum class Stage { Over, Listing, Naming, Reading };
  using Names = std::vector<std::uint32_t>;  // hashes, sorted
  struct Known {
    std::string stamp;
    Names names;
    std::optional<SourceRecord> record;  // of this stamp
    bool isNamed = false, isRead = false;
  };

  void list();
  void name();
  std::optional<std::filesystem::path> nextToRead(const std::vector<OpenSource>&);
  std::set<std::filesystem::path> relevant(const std::vector<OpenSource>&) const;

  Stage stage_ = Stage::Over;
  std::vector<std::filesystem::path> folders_;
  std::function<bool(const std::filesystem::path&)> isLeft_;
  std::filesystem::recursive_directory_iterator at_;
  std::map<std::filesystem::path, Known> files_;
  std::set<std::filesystem::path> there_;
  std::vector<std::filesystem::path> toName_;
  std::string limit_;
  std::size_t entries_ = 0;
};

}  // namespace kadvise::lsp
