// Group and instance norms of images with channels first as generated kernels, whose rows are the groups.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/graph/program_texts.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// Over groups of neighbouring channels of each image, an instance norm over each channel.
struct ImageNorm {
  torch::jit::Node* node;
  TracedValue image;
  std::vector<torch::jit::Value*> weights;  // those of weight and bias that it has
  bool hasWeight;
  std::int64_t groups, width;  // width: channels of a group
  double eps;
};

// ATen's, or kadvise's own.
bool isImageNorm(const torch::jit::Node*);

// nullopt where it is of another form than kernels compute: by statistics that are kept, with a shift, of a
// dtype that they do not have. Throws Error where an argument is computed.
std::optional<ImageNorm> imageNormOf(torch::jit::Node*, const TracedValues&);

// The norm alone: of [N, groups, width, pixels…], then its weights as [groups, width, 1…].
SimpleProgram programOf(const ImageNorm&, const TracedValues&);

}  // namespace kadvise::graph
