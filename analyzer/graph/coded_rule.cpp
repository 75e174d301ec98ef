#include "analyzer/graph/coded_rule.h"

#include "analyzer/graph/host_read.h"
#include "analyzer/graph/memory_rules.h"

namespace kadvise::graph {
namespace {

struct Entry {
  const char* name;
  CodedRule rule;
};
constexpr Entry kCodedRules[] = {
    {"host-read", findHostReads},
    {"copied-transpose", findCopiesBeforeUse},
    {"copying-reshape", findCopyingReshapes},
    {"constant-work", findConstantWork},
    {"needless-cat", findNeedlessCats},
    {"dtype-round-trip", findDtypeRoundTrips},
    {"float64", findFloat64},
    {"no-effect", findNoEffect},
    {"kept-too-long", findKeptTooLong},
};

}  // namespace

CodedRule codedRule(const std::string& function) {
  for (auto& e : kCodedRules)
    if (function == e.name) return e.rule;
  return nullptr;
}

}  // namespace kadvise::graph
