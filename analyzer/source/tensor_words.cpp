#include "analyzer/source/tensor_words.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>

namespace kadvise::source {
namespace {

const llvm::StringSet<>& pointwiseWords() {
  static const llvm::StringSet<> words = {
      "abs",        "add",        "addcdiv", "addcmul",     "bitwise_and", "ceil",        "clamp",
      "clamp_max",  "clamp_min",  "cos",     "div",         "elu",         "eq",          "erf",
      "exp",        "expm1",      "floor",   "fmod",        "ge",          "gelu",        "gt",
      "hardtanh",   "hardswish",  "le",      "leaky_relu",  "lerp",        "log",         "log10",
      "log1p",      "log2",       "lt",      "masked_fill", "maximum",     "minimum",     "mul",
      "ne",         "neg",        "pow",     "reciprocal",  "relu",        "remainder",   "round",
      "rsqrt",      "sigmoid",    "sign",    "silu",        "sin",         "softplus",    "sqrt",
      "square",     "sub",        "tan",     "tanh",        "where",       "logical_and", "logical_or",
      "logical_not"};
  return words;
}

const llvm::StringSet<>& viewWords() {
  static const llvm::StringSet<> words = {
      "alias",   "as_strided", "chunk",       "contiguous", "data",      "detach",   "diagonal", "expand",
      "expand_as", "flatten",  "index",       "mT",         "narrow",    "permute",  "reshape",  "select",
      "slice",   "split",      "squeeze",     "swapaxes",   "t",         "to",       "transpose", "type_as",
      "unbind",  "unfold",     "unsqueeze",   "view",       "view_as",   "movedim",  "real",     "imag",
      "unflatten", "reshape_as"};
  return words;
}

}  // namespace

llvm::StringRef plainWord(llvm::StringRef word) {
  return llvm::StringSwitch<llvm::StringRef>(word)
      .Case("multiply", "mul")
      .Cases("divide", "true_divide", "div")
      .Case("subtract", "sub")
      .Case("negative", "neg")
      .Case("absolute", "abs")
      .Case("clip", "clamp")
      .Cases("concat", "concatenate", "cat")
      .Cases("swapaxes", "swapdims", "transpose")
      .Case("greater", "gt")
      .Case("less", "lt")
      .Case("special_expit", "sigmoid")
      .Default(word);
}

bool isPointwise(llvm::StringRef word) { return pointwiseWords().contains(word); }
bool isView(llvm::StringRef word) { return viewWords().contains(word); }

bool isFreshAndContiguous(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("empty", "zeros", "ones", "full", "rand", "randn", "randint", "randperm", "arange", true)
      .Cases("new_empty", "new_zeros", "new_ones", "new_full", "linspace", "eye", true)
      .Case("contiguous", true)
      .Default(false);
}

bool isUnwritten(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("empty", "empty_like", "new_empty", "empty_strided", true)
      .Default(false);
}

bool isComparison(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("eq", "ne", "lt", "gt", "le", "ge", true)
      .Cases("logical_and", "logical_or", "logical_not", "isnan", "isinf", "isfinite", true)
      .Default(false);
}

bool isQuestion(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("size", "sizes", "stride", "strides", "numel", "dim", "ndimension", "ndim", "nbytes", true)
      .Cases("element_size", "itemsize", "is_contiguous", "is_cuda", "is_cpu", "defined", true)
      .Cases("scalar_type", "dtype", "device", "get_device", "options", "suggest_memory_format", true)
      .Cases("is_floating_point", "is_complex", "is_sparse", "requires_grad", "is_same", "type", true)
      .Cases("storage_offset", "sym_size", "sym_sizes", "sym_numel", "layout", "is_non_overlapping_and_dense", true)
      .Default(false);
}

}  // namespace kadvise::source
