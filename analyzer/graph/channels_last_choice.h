// Which operators of a block should run on channels_last memory, so that convolutions gain most and the
// fewest bytes are converted.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/stand_ins.h"

namespace kadvise::graph {

using MayChange = std::function<bool(const torch::jit::Node*)>;

struct LayoutChoice {
  std::vector<torch::jit::Node*> last;  // in channels_last, in execution order
  std::unordered_set<const torch::jit::Node*> isLast;
  // Of each: the bytes that need not be moved any more, less those of the conversions that it needs.
  std::unordered_map<const torch::jit::Node*, std::int64_t> savedBytes;
};

// Every other operator goes on reading what it reads today, strides included. Left out are operators whose
// operands or results anything writes to in place, and those whose results' strides somebody asks for.
LayoutChoice chooseLayouts(torch::jit::Block*, const Shapes&, const Aliases&, const MayChange&);

// A reader of an image: an operator of the choice, or anything else.
struct ImageUse {
  torch::jit::Use use;
  const torch::jit::Node* reader;  // of an element of a list the one that reads the list, or takes its result
};
std::vector<ImageUse> usesOf(const torch::jit::Value*);
bool readsAsImage(const ImageUse&);

// A generated kernel makes it, and stores it with channels first where all of its readers want that.
bool isStoredByProgram(const torch::jit::Value*);

// What the run saw of its memory.
enum class ImageLayout { First, Last, Both, Other };  // Both: one channel, or one pixel
ImageLayout layoutOf(const TracedValue&);

}  // namespace kadvise::graph
