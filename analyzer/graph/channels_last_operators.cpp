#include "analyzer/graph/channels_last_operators.h"

#include <algorithm>

#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/shared_memory.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr bool kConvolves = true;

constexpr ImageOperator kImageOperators[] = {
    {"aten::conv2d", ImageOperands::First, kConvolves},
    {"aten::conv_transpose2d", ImageOperands::First, kConvolves},
    {"aten::conv3d", ImageOperands::First, kConvolves},
    {"aten::conv_transpose3d", ImageOperands::First, kConvolves},
    {"aten::conv1d", ImageOperands::First, kConvolves},
    {"aten::conv_transpose1d", ImageOperands::First, kConvolves},
    {"kadvise::conv1d_channels_last", ImageOperands::First, kConvolves},
    {"kadvise::conv_transpose1d_channels_last", ImageOperands::First, kConvolves},
    {"kadvise::conv2d_relu", ImageOperands::First, kConvolves},
    {"kadvise::conv2d_add_relu", ImageOperands::FirstAndThird, kConvolves},
    {"kadvise::grouped_conv", ImageOperands::First, kConvolves},
    // They take either layout as it lies, and gain nothing themselves.
    {"kadvise::depthwise_conv", ImageOperands::First},
    {"aten::group_norm", ImageOperands::First},  // see convertsBack
    {"aten::instance_norm", ImageOperands::First},
    {"kadvise::group_norm", ImageOperands::First},
    {"kadvise::instance_norm", ImageOperands::First},
    {"kadvise::max_pool", ImageOperands::First},
    {"kadvise::avg_pool", ImageOperands::First},
    {"kadvise::upsample_nearest", ImageOperands::First},
    {"kadvise::upsample_bilinear", ImageOperands::First},
    {"kadvise::upsample_bicubic", ImageOperands::First},
    {"aten::batch_norm", ImageOperands::First},
    {"aten::max_pool2d", ImageOperands::First},
    {"aten::max_pool3d", ImageOperands::First},
    {"aten::avg_pool2d", ImageOperands::First},
    {"aten::adaptive_avg_pool2d", ImageOperands::First},
    {"aten::upsample_nearest2d", ImageOperands::First},
    {"aten::_upsample_nearest_exact2d", ImageOperands::First},
    {"aten::upsample_bilinear2d", ImageOperands::First},
    {"aten::upsample_bicubic2d", ImageOperands::First},
    {"aten::constant_pad_nd", ImageOperands::First},
    {"kadvise::constant_pad_nd", ImageOperands::First},
    {"aten::cat", ImageOperands::List},
    {"aten::concat", ImageOperands::List},
    {"aten::hstack", ImageOperands::List},  // of a normal form: along the channels
    {"aten::relu", ImageOperands::First},
    {"aten::relu6", ImageOperands::First},
    {"aten::hardtanh", ImageOperands::First},
    {"aten::leaky_relu", ImageOperands::First},
    {"aten::elu", ImageOperands::First},
    {"aten::gelu", ImageOperands::First},
    {"aten::silu", ImageOperands::First},
    {"aten::mish", ImageOperands::First},
    {"aten::sigmoid", ImageOperands::First},
    {"aten::tanh", ImageOperands::First},
    {"aten::softplus", ImageOperands::First},
    {"aten::hardswish", ImageOperands::First},
    {"aten::hardsigmoid", ImageOperands::First},
    {"aten::exp", ImageOperands::First},
    {"aten::abs", ImageOperands::First},
    {"aten::neg", ImageOperands::First},
    {"aten::sqrt", ImageOperands::First},
    {"aten::rsqrt", ImageOperands::First},
    {"aten::square", ImageOperands::First},
    {"aten::clamp", ImageOperands::AllTensors},
    {"aten::clamp_min", ImageOperands::AllTensors},
    {"aten::clamp_max", ImageOperands::AllTensors},
    {"aten::add", ImageOperands::AllTensors},
    {"aten::sub", ImageOperands::AllTensors},
    {"aten::rsub", ImageOperands::AllTensors},
    {"aten::mul", ImageOperands::AllTensors},
    {"aten::div", ImageOperands::AllTensors},
    {"aten::pow", ImageOperands::AllTensors},
    {"aten::maximum", ImageOperands::AllTensors},
    {"aten::minimum", ImageOperands::AllTensors},
};

// What takes the result of a generated kernel out of its list stands for the kernel.
constexpr ImageOperator kImageProgram = {"kadvise::row_program", ImageOperands::Program};

// What takes a piece of an image out of the list of all: a view in the image's layout, with gaps.
constexpr ImageOperator kImagePiece = {"aten::chunk", ImageOperands::Pieces};
constexpr std::string_view kMakesPieces[] = {"aten::chunk", "aten::split", "aten::split_with_sizes"};

// Of signals, and what is laid out as its operand there. Others make a signal contiguous.
constexpr std::string_view kOfSignals[] = {"aten::conv1d", "aten::conv_transpose1d",
                                           "kadvise::conv1d_channels_last",
                                           "kadvise::conv_transpose1d_channels_last", "aten::batch_norm"};

constexpr std::string_view kOursOfVolumes[] = {"kadvise::group_norm", "kadvise::instance_norm",
                                               "kadvise::max_pool", "kadvise::avg_pool",
                                               "kadvise::constant_pad_nd"};

// They make their input contiguous where it is not, or read it as it lies, and write in rows.
constexpr std::string_view kReadsEither[] = {"aten::layer_norm", "aten::linear", "aten::mean",
                                             "kadvise::contiguous"};

bool isPermute(const Node* n, const std::vector<std::int64_t>& order) {
  if (n->kind() != jit::aten::permute) return false;
  auto dims = jit::toIValue(n->inputs()[1]);
  return dims && dims->isIntList() && dims->toIntVector() == order;
}

// One dimension for all pixels: of either layout it is a view. A reshape to sizes that the run did not see
// may copy.
bool joinsPixels(Node* n, const Shapes& shapes) {
  if (n->kind() == jit::aten::reshape) {
    auto *in = shapes.tensor(n->input(0)), *out = shapes.tensor(n->output());
    return in && out && in->shape.size() == kRankOfImages && out->shape.size() == kRankOfSignals &&
           std::equal(in->shape.begin(), in->shape.begin() + 2, out->shape.begin());
  }
  if (n->kind() != jit::aten::flatten) return false;
  auto last = constantInt(n->input(2));
  return constantInt(n->input(1)) == 2 && (last == -1 || last == 3);
}

bool turnsPixelsAndChannels(Node* n) {
  if (isPermute(n, {0, 2, 1})) return true;
  if (n->kind() != jit::aten::transpose) return false;
  constexpr int kRank = 3;
  auto a = constantInt(n->input(1)), b = constantInt(n->input(2));
  return a && b && ((*a + kRank) % kRank) * ((*b + kRank) % kRank) == 2;  // 1 and 2
}

// Whether it gives the same, in memory of its own or contiguous, of whatever lies there.
bool copiesUnlessContiguous(const jit::Use& reader) {
  if (reader.offset != 0) return false;
  return isOneOf(kReadsEither, reader.user) ||
         (copiesByStrides(reader.user) && !showsWhetherItCopied(reader.user));
}

// By the statistics of a run before: the same factors for each image, which no rule of ours replaces.
bool hasRunningStatistics(const Node* n) {
  return n->kind() == jit::aten::instance_norm && n->input(3)->type()->kind() != c10::TypeKind::NoneType;
}

}  // namespace

const ImageOperator* imageOperator(const Node* n) {
  std::string_view name = n->kind().toQualString();
  if (hasRunningStatistics(n)) return nullptr;
  for (auto& op : kImageOperators)
    if (op.name == name) return &op;
  if (imageProgramOf(n)) return &kImageProgram;
  return makerOfPieces(n) ? &kImagePiece : nullptr;
}

Node* makerOfPieces(const Node* n) {
  if (n->kind() != jit::aten::__getitem__ || !isTensor(n->output())) return nullptr;
  Node* maker = const_cast<Value*>(n->inputs()[0])->node();
  return isOneOf(kMakesPieces, maker) && constantInt(const_cast<Value*>(n->inputs()[1])) ? maker : nullptr;
}

Node* holderOfImages(Node* n) {
  auto* op = imageOperator(n);
  if (op && op->operands == ImageOperands::Program) return imageProgramOf(n)->input(1)->node();
  if (op && op->operands == ImageOperands::Pieces) return makerOfPieces(n);
  return op && op->operands == ImageOperands::List ? n->input(0)->node() : n;
}

std::vector<Value*> imagesOf(Node* n) {
  auto* op = imageOperator(n);
  if (!op) return {};
  switch (op->operands) {
    case ImageOperands::First:
      return {n->input(0)};
    case ImageOperands::FirstAndThird:
      return {n->input(0), n->input(2)};
    case ImageOperands::List: {
      Node* list = n->input(0)->node();
      bool own = list->kind() == jit::prim::ListConstruct && n->input(0)->uses().size() == 1;
      return own ? list->inputs().vec() : std::vector<Value*>();
    }
    case ImageOperands::Program: {
      Node* list = imagesOfProgram(imageProgramOf(n));
      return list ? list->inputs().vec() : std::vector<Value*>();
    }
    case ImageOperands::Pieces:
      return {makerOfPieces(n)->input(0)};
    case ImageOperands::AllTensors:
      break;
  }
  std::vector<Value*> out;
  for (Value* in : n->inputs())
    if (isTensor(in)) out.push_back(in);
  return out;
}

bool takesEitherLayout(const jit::Use& use, const Shapes& shapes) {
  return asksAboutTensors(use.user) || (use.offset == 0 && isOneOf(kReadsEither, use.user)) ||
         wantsChannelsLast(use, shapes);
}

Value* channelsAtTheEnd(const jit::Use& use, const Shapes& shapes) {
  auto* image = shapes.tensor(use.user->input(use.offset));
  const std::size_t rank = image ? image->shape.size() : 0;
  if (rank == kRankOfSignals) return turnsPixelsAndChannels(use.user) ? use.user->output() : nullptr;
  if (rank == kRankOfVolumes) return isPermute(use.user, {0, 2, 3, 4, 1}) ? use.user->output() : nullptr;
  if (rank != kRankOfImages) return nullptr;
  if (isPermute(use.user, {0, 2, 3, 1})) return use.user->output();
  if (!joinsPixels(use.user, shapes) || use.user->output()->uses().size() != 1) return nullptr;
  Node* next = use.user->output()->uses()[0].user;
  return turnsPixelsAndChannels(next) ? next->output() : nullptr;
}

bool wantsChannelsLast(const jit::Use& use, const Shapes& shapes) {
  auto* rows = channelsAtTheEnd(use, shapes);
  return rows && std::all_of(rows->uses().begin(), rows->uses().end(), copiesUnlessContiguous);
}

// Our own operators are of images alone, but for poolings and norms. Convolutions of groups of a signal's
// channels have rules of their own, and padding by a word no operator of ours.
bool takesRank(const Node* n, std::size_t rank) {
  if (auto* program = imageProgramOf(n)) return rankOfProgram(program) == rank;
  if (rank == kRankOfImages) return true;
  if (rank == kRankOfVolumes) return n->kind().is_aten() || isOneOf(kOursOfVolumes, n);
  if (!isOneOf(kOfSignals, n)) return isPointwise(n);
  auto* groups = argumentNamed(const_cast<Node*>(n), "groups");
  auto* padding = argumentNamed(const_cast<Node*>(n), "padding");
  return (!groups || constantInt(groups) == 1) &&
         (!padding || padding->type()->kind() == c10::TypeKind::ListType);
}

bool convertsBack(const Node* n) {
  return n->kind() == jit::aten::group_norm || n->kind() == jit::aten::instance_norm;
}

}  // namespace kadvise::graph
