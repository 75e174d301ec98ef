#include "analyzer/core/finding_identity.h"

#include <map>
#include <string_view>

#include "analyzer/core/hash.h"

namespace kadvise {
namespace {

std::string_view withoutIndentation(std::string_view line) {
  std::size_t begin = line.find_first_not_of(" \t");
  return begin == line.npos ? "" : line.substr(begin);
}

}  // namespace

void identify(std::vector<Finding>& findings, const std::string& file) {
  std::map<std::string, int> seen;
  for (auto& f : findings) {
    std::string key = f.rule + "\n" + file + "\n" + f.where.scope + "\n";
    key += withoutIndentation(f.where.snippet);
    int ordinal = seen[key]++;
    f.id = stableHash(ordinal ? key + "\n" + std::to_string(ordinal) : key);
  }
}

}  // namespace kadvise
