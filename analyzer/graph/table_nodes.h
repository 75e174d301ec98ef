// Which nodes one table can stand for.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// nodes: of one block, in execution order. Those that can be computed at one place, with what computes their
// numbers in between: none of them waits for what others make of the table, as a view by the size of what was
// computed with it does. Empty where nothing of them launches work.
std::vector<torch::jit::Node*> nodesOfTable(const std::vector<torch::jit::Node*>& nodes);

// Values that others read. The first is one of which nothing else of the table is made: the replacement
// stands in its place.
std::vector<torch::jit::Value*> resultsOfTable(const std::vector<torch::jit::Node*>& nodes);

// What of them a table holds that may not take more: without those at the end that make no less than they
// read, as a sum with the mask of each text of a batch does. All of them where no such table is left.
std::vector<torch::jit::Node*> nodesWithin(const std::vector<torch::jit::Node*>& nodes, const TracedValues&,
                                           double mostBytes);

// What the results of a table take.
double bytesOfTable(const std::vector<torch::jit::Node*>& nodes, const TracedValues&);

// "" where a table can stand here.
std::string whyNoTableHere(const std::vector<torch::jit::Node*>& nodes);

// Nobody tells the operator a device, and it is given no tensor that would: it takes the default.
bool choosesItsDevice(torch::jit::Node*);

// "zeros" for new_zeros, which takes of its tensor only what zeros can be told; "" for all others.
std::string plainMakerOf(const torch::jit::Node*);

// With what others index by those results that stay on the default device, where that is all that they do
// with them: what is indexed decides where its elements are, and an index may be there as well as on the
// host.
std::vector<torch::jit::Node*> withIndexed(const std::vector<torch::jit::Node*>& nodes);

// Whether it indexes a tensor, of which it is given a list of indices.
bool indexes(const torch::jit::Node*);

// Whether a result stays on the default device: none of the nodes behind it names another.
bool staysOnDefault(const std::vector<torch::jit::Node*>& nodes, torch::jit::Value* result);

}  // namespace kadvise::graph
