// One run of the base module that notes what every value is, and keeps those that regions will be fed with.
#pragma once

#include <torch/script.h>

#include <map>
#include <set>
#include <string>

#include "analyzer/core/json.h"
#include "profiler/session.h"

namespace kadvise {

// Names of values:
//   in.<i>             graph input i after self
//   <id>.<k>           output k of the node whose source range says ("node", id)
//   <id>.b<j>.<k>      parameter k of block j of a loop or if; a loop's parameter 0 is its counter
//   <id>:<k>           input k of that node, where the node that made it has lost its id. Loading drops the
//   range of
//                      list, tuple and attribute nodes, so this is how a list is named, by the first node
//                      that reads it
//   <name>[<i>]        element i of a list or tuple of that name; so is an output of a ListUnpack or
//   TupleUnpack
struct Trace {
  Json entries;                             // name -> {kind, …}, for values.json
  std::map<std::string, c10::IValue> kept;  // as they were when they were made
};

// keep: names whose values are copied when they are first made; in a loop, those of the first turn.
Trace traceRun(const torch::jit::Module& base, const Values& inputs, const Device&,
               const std::set<std::string>& keep);

// The verb `trace`.
Json trace(Session&, const Json& arguments, const Replies&);

}  // namespace kadvise
