// The operators of convolutional networks that give their results in the layout of their images.
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/graph/stand_ins.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// Signals, images and volumes, with their batch and channels.
inline constexpr std::size_t kRankOfSignals = 3, kRankOfImages = 4, kRankOfVolumes = 5;

// Which operands have to come in one layout.
enum class ImageOperands { First, FirstAndThird, AllTensors, List, Program, Pieces };

struct ImageOperator {
  std::string_view name;
  ImageOperands operands;
  bool convolves = false;  // operand 1 is its weight
};

// nullptr for an operator that ends a region: unknown, or known to convert back to channels first.
const ImageOperator* imageOperator(const torch::jit::Node*);

// The operands that have to come in one layout, of a list its elements. Empty where a list is not written out
// at its only reader, or where the operator is of the kind only with other arguments.
std::vector<torch::jit::Value*> imagesOf(torch::jit::Node*);

// The node whose operands they are: of a cat and a generated kernel the one that makes the list, of a piece
// the one that makes all pieces.
torch::jit::Node* holderOfImages(torch::jit::Node*);

// What makes the pieces (chunk, split) of which the node takes one, a view; nullptr for other nodes.
torch::jit::Node* makerOfPieces(const torch::jit::Node*);

// Whether the reader's result is the same, strides included, whichever layout this operand has.
bool takesEitherLayout(const torch::jit::Use&, const Shapes&);

// What has the channels as its last dimension: permute(0, 2, 3, 1), or flatten(2) or what reshapes alike and
// transpose(1, 2) behind it, of an image; transpose(1, 2) of a signal. nullptr for any other reader.
torch::jit::Value* channelsAtTheEnd(const torch::jit::Use&, const Shapes&);

// The same, where only readers that copy what is not contiguous read it: of channels_last it is contiguous.
bool wantsChannelsLast(const torch::jit::Use&, const Shapes&);

// Whether it gives signals, or volumes, in their layout as well.
bool takesRank(const torch::jit::Node*, std::size_t rank);

// ATen's kernel for it converts to channels first inside, and ours (`fusion/group-norm`) does not.
bool convertsBack(const torch::jit::Node*);

}  // namespace kadvise::graph
