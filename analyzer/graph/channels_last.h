// Convolutions of channels-first images, and the pass that lays whole regions of them out in channels_last.
#pragma once

#include "analyzer/graph/coded_rule.h"
#include "analyzer/graph/region_pass.h"

namespace kadvise::graph {

CodedResult findConvolutionsInNchw(const RulePage&, const Analysis&);  // layout/convolutions-in-nchw

// Converts what comes into the region and what others read of it, one time each, and the weights of its
// convolutions. Everybody outside reads the strides of before.
std::vector<std::string> layOutChannelsLast(const PassScope&);
// The same, with generated kernels that convert large images.
std::vector<std::string> layOutByKernels(const PassScope&);

}  // namespace kadvise::graph
