// The coded rules about memory traffic and dtypes. Each looks at traced shapes and strides, reports nothing
// that costs nothing, and nothing that moves less than kSmallBytes.
#pragma once

#include <map>
#include <string>

#include "analyzer/graph/coded_rule.h"
#include "analyzer/graph/cost.h"

namespace kadvise::graph {

inline constexpr double kSmallBytes = 64 * 1024;  // moved by one call: below, a launch is all that it costs

CodedResult findCopiesBeforeUse(const RulePage&, const Analysis&);  // memory/copied-transpose
CodedResult findCopyingReshapes(const RulePage&, const Analysis&);  // memory/copying-reshape
CodedResult findConstantWork(const RulePage&, const Analysis&);     // memory/constant-work
CodedResult findNeedlessCats(const RulePage&, const Analysis&);     // memory/needless-cat
CodedResult findGrowingCaches(const RulePage&, const Analysis&);    // memory/growing-cache
CodedResult findDtypeRoundTrips(const RulePage&, const Analysis&);  // precision/dtype-round-trip
CodedResult findFloat64(const RulePage&, const Analysis&);          // precision/float64
CodedResult findNoEffect(const RulePage&, const Analysis&);         // memory/no-effect
CodedResult findKeptTooLong(const RulePage&, const Analysis&);      // memory/kept-too-long

bool isCat(const torch::jit::Node*);  // by either of its names
// What it joins; none where the list is not made in its place.
at::ArrayRef<torch::jit::Value*> piecesOf(torch::jit::Node* cat);

// What going without a node saves, set against the node and those that read it.
Estimate estimateWithout(const torch::jit::Node*, const Analysis&);
Estimate estimateOfSaving(const Cost& saved, double savedSeconds, double ofSeconds, const Gpu&);

// Gathers findings; the same finding in equal layers ("encoder.3" beside "encoder.2") becomes one with
// related places.
class Places {
 public:
  // Returns which finding it became a part of.
  std::size_t add(torch::jit::Node*, const std::string& message, std::optional<Estimate>);
  CodedResult take(const Analysis&, const std::string& whyNothing);

 private:
  std::vector<CodedFinding> findings_;
  std::map<std::string, std::size_t> alike_;  // -> index into findings_
  std::map<std::string, int> seen_;           // of one message in one module
};

}  // namespace kadvise::graph
