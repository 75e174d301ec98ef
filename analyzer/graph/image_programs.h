// Generated kernels as operators on images: one result of their iteration space, in the layout of what they
// read, or with channels first where that is written into the program.
#pragma once

#include <string>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// A call of kadvise::row_program.
bool isRowProgram(const torch::jit::Node*);
std::string programText(const torch::jit::Node* program);
// The one whose only result the node takes out of the list; nullptr for other nodes,
// and for programs with tables or lists.
torch::jit::Node* imageProgramOf(const torch::jit::Node*);
// Its dimensions, which have to be those of the images; 0: none.
std::size_t rankOfProgram(const torch::jit::Node* program);
// The list of what it reads, which nobody else has; nullptr otherwise.
torch::jit::Node* imagesOfProgram(const torch::jit::Node* program);

// Has it store its result contiguous, whatever it reads.
void storeContiguous(torch::jit::Node* program);

}  // namespace kadvise::graph
