#include "analyzer/graph/coded_rule.h"

#include "analyzer/graph/host_read.h"
#include "analyzer/graph/sibling_linears.h"

namespace kadvise::graph {
namespace {

struct Entry {
  const char* name;
  CodedRule rule;
};
constexpr Entry kCodedRules[] = {
    {"host-read", findHostReads},
    {"sibling-linears", findSiblingLinears},
};

}  // namespace

CodedRule codedRule(const std::string& function) {
  for (auto& e : kCodedRules)
    if (function == e.name) return e.rule;
  return nullptr;
}

}  // namespace kadvise::graph
