// The list of operators, and their registration with torch. Loading the library runs this.
#include "kernels/common/operator.h"
#include "kernels/common/torch_version.h"
#include "kernels/graph_runner/torch_class.h"
#include "kernels/kernels.h"

#include <ATen/core/stack.h>
#include <torch/version.h>

// Weak: a torch without it still loads the library, and hears why it cannot use it.
extern "C" __attribute__((weak)) std::uint64_t aoti_torch_abi_version();

namespace kadvise {

extern const Operator kActivation;
extern const Operator kAddLayerNorm;
extern const Operator kAddRmsNorm;
extern const Operator kAvgPool;
extern const Operator kCausalConv1d;
extern const Operator kConstantPadNd;
extern const Operator kContiguous;
extern const Operator kConv1dChannelsLast;
extern const Operator kConv2dAddRelu;
extern const Operator kConv2dRelu;
extern const Operator kConvTranspose1dChannelsLast;
extern const Operator kDepthwiseConv;
extern const Operator kGatedActivation;
extern const Operator kGatherScatterAdd;
extern const Operator kGroupNorm;
extern const Operator kGroupedConv;
extern const Operator kInstanceNorm;
extern const Operator kLinear;
extern const Operator kLinearActivation;
extern const Operator kLinearAdd;
extern const Operator kMaxPool;
extern const Operator kPrefixScan;
extern const Operator kRmsNorm;
extern const Operator kRoll;
extern const Operator kRope;
extern const Operator kJoinedRowPrograms;
extern const Operator kRowProgram;
extern const Operator kRowProgramSource;
extern const Operator kScatterSlices;
extern const Operator kSelectiveScan;
extern const Operator kSoftCap;
extern const Operator kUpsampleBicubic;
extern const Operator kUpsampleBilinear;
extern const Operator kUpsampleNearest;
extern const Operator kWindowAttention;

namespace {

const Operator* const kOperators[] = {
    &kAddLayerNorm,
    &kRmsNorm,
    &kAddRmsNorm,
    &kActivation,
    &kGatedActivation,
    &kRope,
    &kLinear,
    &kLinearActivation,
    &kLinearAdd,
    &kConv2dRelu,
    &kConv2dAddRelu,
    &kSoftCap,
    &kJoinedRowPrograms,
    &kRowProgram,
    &kRowProgramSource,
    &kContiguous,
    &kGroupNorm,
    &kInstanceNorm,
    &kDepthwiseConv,
    &kGroupedConv,
    &kMaxPool,
    &kAvgPool,
    &kCausalConv1d,
    &kSelectiveScan,
    &kPrefixScan,
    &kGatherScatterAdd,
    &kUpsampleNearest,
    &kUpsampleBilinear,
    &kUpsampleBicubic,
    &kConv1dChannelsLast,
    &kConvTranspose1dChannelsLast,
    &kRoll,
    &kScatterSlices,
    &kConstantPadNd,
    &kWindowAttention,
};

std::string mismatch() {
  return torchMismatch(TORCH_ABI_VERSION, aoti_torch_abi_version != nullptr ? aoti_torch_abi_version() : 0);
}

void refuse(const c10::OperatorHandle&, torch::jit::Stack*) { TORCH_CHECK(false, mismatch()); }

// An exception cannot leave a library that is being loaded, so another torch gets a warning now and operators
// that refuse to run: a module that uses them still loads, and the error can be caught where it is called.
void registerRefusals(torch::Library& library) {
  TORCH_WARN(mismatch());
  for (const Operator* op : kOperators) {
    library.def(op->schema);
    library.impl(op->name, torch::CppFunction::makeFromBoxedFunction<&refuse>());
  }
}

}  // namespace

TORCH_LIBRARY(kadvise, library) {
  if (!mismatch().empty()) return registerRefusals(library);
  for (const Operator* op : kOperators) {
    library.def(op->schema, {at::Tag::pt2_compliant_tag});
    op->implement(library);
  }
  defineGraphRunner(library);
}

}  // namespace kadvise

const char* kadvise_kernels_torch() {
  static const std::string release = kadvise::torchRelease(TORCH_ABI_VERSION);
  return release.c_str();
}
