// Files in a folder that is the user's alone. What a process loads as code from a folder that others can
// write to, or that somebody else's link leads to, would be their code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kadvise {

// Open while it lives. Not open: there is no such folder, it or the link to it is another user's, or others
// may write.
class OwnFolder {
 public:
  explicit OwnFolder(const std::string& path);
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  int handle() const { return handle_; }  // -1: not open

 private:
  int handle_ = -1;
};

// With the folders above it. False where it cannot be made; one that is there stays as it is.
bool makeOwnFolder(const std::string& path);

// A regular file of the user's, and marks it as used now.
std::optional<std::string> readOwnFile(const OwnFolder&, const std::string& name, std::uint64_t mostBytes);

// Whole or not at all, whoever reads or writes it at the same time.
bool writeOwnFile(const OwnFolder&, const std::string& name, std::string_view bytes);

// Names that end so, and what writers that died have left of them.
std::vector<std::string> filesOf(int folder, std::string_view ending);

}  // namespace kadvise
