#include "analyzer/core/finding_identity.h"

#include <map>

#include "analyzer/core/hash.h"

namespace kadvise {

void identify(std::vector<Finding>& findings, const std::string& file) {
  std::map<std::string, int> seen;
  for (auto& f : findings) {
    std::string key = f.rule + "\n" + file + "\n" + f.where.scope + "\n" + f.where.snippet;
    int ordinal = seen[key]++;
    f.id = stableHash(ordinal ? key + "\n" + std::to_string(ordinal) : key);
  }
}

}  // namespace kadvise
