#include "analyzer/graph/channels_last_choice.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/graph/channels_last_operators.h"
#include "analyzer/graph/image_programs.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/layout_observers.h"
#include "analyzer/graph/min_cut.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// On a GPU the library has faster kernels, too: of large images 1.0 to 1.4 times the conversions are gained
// (tests/bench/results/others.h200.txt, KernelBench), so that one convolution by itself may pay for them.
constexpr std::int64_t kLargeImages = 8 << 20;  // bytes, image and result

bool isImage(const TracedValue* t) {
  return t && t->shape.size() >= kRankOfSignals && t->shape.size() <= kRankOfVolumes &&
         t->strides.size() == t->shape.size();
}

// Strides of dimensions of one element say nothing.
bool areStrides(const TracedValue& t, const std::vector<std::size_t>& innermostFirst) {
  std::int64_t expected = 1;
  for (auto d : innermostFirst) {
    if (t.shape[d] != 1 && t.strides[d] != expected) return false;
    expected *= t.shape[d];
  }
  return true;
}

// A number for each channel, or one for all: it is broadcast alike over either layout of images of the rank.
bool isForAllPixels(const TracedValue& t, std::size_t rankOfImage) {
  auto rank = t.shape.size();
  if (elements(t) == 1) return rank <= rankOfImage;
  return rank + 1 == rankOfImage &&
         std::all_of(t.shape.begin() + 1, t.shape.end(), [](auto n) { return n == 1; });
}

bool isFloating(const TracedValue& t) {
  return t.dtype == at::kFloat || t.dtype == at::kHalf || t.dtype == at::kBFloat16 || t.dtype == at::kDouble;
}

std::int64_t bytes(const TracedValue& t) { return static_cast<std::int64_t>(denseBytes(t)); }

class Chooser {
 public:
  Chooser(const Shapes& shapes, const Aliases& aliases, const MayChange& mayChange)
      : shapes_(shapes), aliases_(aliases), mayChange_(mayChange) {}

  LayoutChoice choose(jit::Block* block) {
    for (Node* n : block->nodes())
      if (isCapable(n)) {
        capable_.push_back(n);
        number_[n] = cut_.addNode();
      }
    for (Node* n : capable_) {
      addGain(n);
      priceOf(n->output());
      for (Value* image : imagesOf(n)) priceOf(image);
    }
    auto side = cut_.sourceSide();
    LayoutChoice out;
    for (Node* n : capable_)
      if (side[number_[n]] || isFree(n, out)) {
        out.last.push_back(n);
        out.isLast.insert(n);
        out.savedBytes[n] = gain_[n];
      }
    charge(side, out);
    return out;
  }

 private:
  bool isCapable(Node* n) const {
    auto images = imagesOf(n);
    if (images.empty() || !mayChange_(n) || !isUsableResult(n->output())) return false;
    auto rank = shapes_.tensor(n->output())->shape.size();
    if (!takesRank(n, rank)) return false;
    return std::all_of(images.begin(), images.end(), [&](Value* v) { return isUsableOperand(v, rank); });
  }

  bool isUsableResult(const Value* v) const {
    auto* t = shapes_.tensor(v);
    if (!isImage(t) || !isFloating(*t)) return false;
    if (makerOfPieces(v->node()) ? !isReadAsImage(v) : layoutOf(*t) == ImageLayout::Other) return false;
    return !aliases_.hasWriters(v) && !askedForStrides(v);
  }

  // Others would see that a piece lies in the memory of all, and with gaps.
  static bool isReadAsImage(const Value* v) {
    auto uses = usesOf(v);
    return std::all_of(uses.begin(), uses.end(),
                       [](const ImageUse& u) { return readsAsImage(u) || asksAboutTensors(u.use.user); });
  }

  bool isUsableOperand(const Value* v, std::size_t rank) const {
    if (!isTensor(v)) return true;  // a number
    auto* t = shapes_.tensor(v);
    bool isOfRank = isImage(t) && t->shape.size() == rank;
    return t && (isOfRank || isForAllPixels(*t, rank)) && !aliases_.hasWriters(v);
  }

  // One pixel of each channel, made of what is in channels_last, is in both layouts: nothing is converted,
  // and nobody has to ask.
  bool isFree(Node* n, const LayoutChoice& chosen) const {
    auto isBoth = [this](const Value* v) {
      auto* t = isTensor(v) ? shapes_.tensor(v) : nullptr;
      return !isImage(t) || layoutOf(*t) == ImageLayout::Both;
    };
    auto images = imagesOf(n);
    auto isChosen = [&](const Value* v) { return chosen.isLast.count(v->node()) != 0; };
    return isBoth(n->output()) && std::any_of(images.begin(), images.end(), isChosen) &&
           std::all_of(images.begin(), images.end(),
                       [&](const Value* v) { return isChosen(v) || isBoth(v); });
  }

  // Given channels first, the libraries of convolutions convert the image and the result, or take kernels
  // that are about as much slower; given channels last, they convert a weight that is not.
  void addGain(Node* n) {
    if (!imageOperator(n)->convolves) return;
    auto *in = shapes_.tensor(n->input(0)), *out = shapes_.tensor(n->output());
    if (in->dtype == at::kDouble) return;
    if (layoutOf(*in) == ImageLayout::Both && layoutOf(*out) == ImageLayout::Both) return;
    auto* weight = shapes_.tensor(n->input(1));
    bool convertsWeight = weight && attributePath(n->input(1)) && layoutOf(*weight) == ImageLayout::First;
    std::int64_t gain = bytes(*in) + bytes(*out);
    bool isSignal = in->shape.size() == kRankOfSignals;  // which is made contiguous all the same
    if (!isSignal && in->device.starts_with("cuda") && gain >= kLargeImages) gain += gain / 4;
    if (layoutOf(*in) == ImageLayout::Last && !isSignal) gain = convertsWeight ? bytes(*weight) : 0;
    gain_[n] = gain;
    cut_.addEdge(MinCut::kSource, number_[n], gain);
  }

  // What converting the value costs, one time for all readers of the other side.
  void priceOf(Value* v) {
    auto* t = isTensor(v) ? shapes_.tensor(v) : nullptr;
    if (!isImage(t) || attributePath(v) || !priced_.insert(v).second) return;
    auto layout = layoutOf(*t);
    if (layout == ImageLayout::Last || layout == ImageLayout::Both) return;
    auto producer = number_.find(v->node());
    auto from = producer == number_.end() ? MinCut::kSink : producer->second;
    auto toFirst = cut_.addNode(), toLast = cut_.addNode();
    prices_.push_back({v, bytes(*t), from, toFirst, toLast});
    // What reads a convolution's result may take its bias along, and what comes behind the conversion.
    auto* maker = imageOperator(v->node());
    const std::int64_t more = maker && maker->convolves ? bytes(*t) / 64 : 0;
    if (!isStoredByProgram(v)) cut_.addEdge(from, toFirst, bytes(*t) + more);
    cut_.addEdge(toLast, from, bytes(*t));
    for (auto& use : usesOf(v)) {
      auto reader = number_.find(use.reader);
      if (readsAsImage(use) && reader != number_.end()) {
        cut_.addEdge(toFirst, reader->second, MinCut::kNever);
        cut_.addEdge(reader->second, toLast, MinCut::kNever);
      } else if (wantsChannelsLast(use.use, shapes_)) {
        cut_.addEdge(MinCut::kSource, from, bytes(*t));
      } else if (!takesEitherLayout(use.use, shapes_)) {
        cut_.addEdge(toFirst, MinCut::kSink, MinCut::kNever);
      }
    }
  }

  // A result that others read costs who makes it, an image that is converted its first reader.
  void charge(const std::vector<bool>& side, LayoutChoice& out) const {
    for (auto& p : prices_) {
      if (side[p.from] && !side[p.toFirst] && !isStoredByProgram(p.value))
        out.savedBytes[p.value->node()] -= p.bytes;
      if (side[p.from] || !side[p.toLast]) continue;
      for (Node* n : out.last) {
        auto images = imagesOf(n);
        if (std::find(images.begin(), images.end(), p.value) == images.end()) continue;
        out.savedBytes[n] -= p.bytes;
        break;
      }
    }
  }

  struct Price {  // of converting a value, with the nodes of the cut that stand for it
    const Value* value;
    std::int64_t bytes;
    std::size_t from, toFirst, toLast;
  };

  const Shapes& shapes_;
  const Aliases& aliases_;
  const MayChange& mayChange_;
  MinCut cut_;
  std::vector<Price> prices_;
  std::unordered_map<const Node*, std::int64_t> gain_;
  std::vector<Node*> capable_;
  std::unordered_map<const Node*, std::size_t> number_;  // of the node in the cut
  std::unordered_set<const Value*> priced_;
};

}  // namespace

ImageLayout layoutOf(const TracedValue& t) {
  if (!isImage(&t)) return ImageLayout::Other;
  std::vector<std::size_t> channelsFirst, channelsLast = {1};  // from the innermost dimension on
  for (std::size_t d = t.shape.size(); d-- > 2;) channelsFirst.push_back(d), channelsLast.push_back(d);
  channelsFirst.insert(channelsFirst.end(), {1, 0}), channelsLast.push_back(0);
  bool first = areStrides(t, channelsFirst), last = areStrides(t, channelsLast);
  if (first && last) return ImageLayout::Both;
  return first ? ImageLayout::First : last ? ImageLayout::Last : ImageLayout::Other;
}

bool isStoredByProgram(const Value* v) {
  auto uses = usesOf(v);
  return imageProgramOf(v->node()) && std::none_of(uses.begin(), uses.end(), readsAsImage);
}

std::vector<ImageUse> usesOf(const Value* v) {
  std::vector<ImageUse> out;
  for (auto& use : v->uses()) {
    Node* reader = use.user;
    if (use.offset == 0 && reader->outputs().size() == 1) {
      auto& taken = reader->output()->uses();
      for (auto& piece : taken)
        if (makerOfPieces(piece.user) == reader) out.push_back({use, piece.user});
      if (!taken.empty() && makerOfPieces(taken[0].user) == reader) continue;
    }
    bool listed = reader->kind() == jit::prim::ListConstruct && reader->output()->uses().size() == 1;
    if (listed) reader = reader->output()->uses()[0].user;
    bool isTaken = listed && reader->outputs().size() == 1 && reader->output()->uses().size() == 1;
    Node* taker = isTaken ? reader->output()->uses()[0].user : nullptr;
    out.push_back({use, taker && imageProgramOf(taker) ? taker : reader});
  }
  return out;
}

bool readsAsImage(const ImageUse& use) {
  auto* reader = const_cast<Node*>(use.reader);
  auto images = imagesOf(reader);
  if (images.empty() || holderOfImages(reader) != use.use.user) return false;
  auto* op = imageOperator(reader);
  switch (op->operands) {
    case ImageOperands::First:
    case ImageOperands::Pieces:
      return use.use.offset == 0;
    case ImageOperands::FirstAndThird:
      return use.use.offset == 0 || use.use.offset == 2;
    case ImageOperands::AllTensors:
    case ImageOperands::List:
    case ImageOperands::Program:
      return true;
  }
  return false;
}

LayoutChoice chooseLayouts(jit::Block* block, const Shapes& shapes, const Aliases& aliases,
                           const MayChange& mayChange) {
  return Chooser(shapes, aliases, mayChange).choose(block);
}

}  // namespace kadvise::graph
