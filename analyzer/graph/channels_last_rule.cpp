// layout/convolutions-in-nchw: where channels_last pays, and the pass that is proposed there.
#include <algorithm>
#include <map>
#include <memory>

#include "analyzer/graph/channels_last.h"
#include "analyzer/graph/channels_last_choice.h"
#include "analyzer/graph/channels_last_operators.h"
#include "analyzer/graph/disjoint_sets.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/settled.h"

namespace kadvise::graph {
namespace {

using jit::Node;

// The libraries apply folded norms and epilogues in the same call, and gain most by that in channels_last; so
// do our convolutions of each channel alone and of groups, and our upsampling. Of two for one place the first
// counts.
constexpr const char* kBefore[] = {"fusion/parallel-convolutions",
                                   "fusion/grouped-convolution",
                                   "fusion/conv-add-relu",
                                   "fusion/conv-relu",
                                   "fusion/conv-batch-norm",
                                   "fusion/depthwise-convolution",
                                   "fusion/group-norm",
                                   "fusion/pooling",
                                   "fusion/upsampling"};

std::vector<Node*> convolutionsIn(const std::vector<Node*>& nodes, const LayoutChoice& choice) {
  std::vector<Node*> out;
  for (Node* n : nodes)
    if (choice.isLast.count(n) && imageOperator(n)->convolves) out.push_back(n);
  return out;
}

// Of 4 dimensions in every call: what is settled by the inputs, and what image operators make of that,
// whatever decides their sizes.
class RankKnown {
 public:
  explicit RankKnown(const Analysis& a) : settled_(std::make_shared<Settled>(a.graph, a.traced)) {}

  bool operator()(const Node* n) {
    auto images = imagesOf(const_cast<Node*>(n));
    bool known = std::all_of(images.begin(), images.end(), [this](const jit::Value* v) {
      return !isTensor(v) || settled_->tensor(v) || known_->count(v->node());
    });
    if (known) known_->insert(n);
    return known;
  }

 private:
  std::shared_ptr<const Settled> settled_;  // shared, since functions are copied
  std::shared_ptr<std::unordered_set<const Node*>> known_ =
      std::make_shared<std::unordered_set<const Node*>>();
};

// Whoever reads rows of channels saves a copy: it is part of what is measured.
void addRowReaders(const jit::Use& use, const Shapes& shapes, std::vector<Node*>& out) {
  auto add = [&](Node* n) {
    if (n->owningBlock() == use.user->owningBlock()) out.push_back(n);
  };
  auto* rows = channelsAtTheEnd(use, shapes);
  add(use.user);
  if (rows->node() != use.user) add(rows->node());
  for (auto& reader : rows->uses()) add(reader.user);
}

std::vector<Node*> withRowReaders(const LayoutChoice& choice, const Shapes& shapes) {
  std::vector<Node*> out;
  for (Node* n : choice.last) {
    out.push_back(n);
    for (auto& use : n->output()->uses())
      if (wantsChannelsLast(use, shapes) && use.user->owningBlock() == n->owningBlock())
        addRowReaders(use, shapes, out);
  }
  return out;
}

// Branches of one image share its conversion: each by itself would pay for all of it.
std::vector<std::vector<Node*>> togetherBySharedImages(const std::vector<std::vector<Node*>>& regions,
                                                       const LayoutChoice& choice, const Shapes& shapes) {
  DisjointSets sets;
  std::map<const jit::Value*, int> converted;  // for which region first
  for (auto& region : regions) {
    const int own = sets.fresh();
    for (Node* n : region) {
      if (!choice.isLast.count(n)) continue;
      for (const auto* image : imagesOf(n)) {
        auto* t = isTensor(image) ? shapes.tensor(image) : nullptr;
        bool isConverted = t && !choice.isLast.count(image->node()) && layoutOf(*t) == ImageLayout::First &&
                           !attributePath(const_cast<jit::Value*>(image));
        if (isConverted) sets.join(own, converted.emplace(image, own).first->second);
      }
    }
  }
  std::map<int, std::vector<Node*>> together;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    auto& nodes = together[sets.of(static_cast<int>(i))];
    nodes.insert(nodes.end(), regions[i].begin(), regions[i].end());
  }
  std::vector<std::vector<Node*>> out;
  for (auto& [set, nodes] : together) {
    sortByPlace(nodes);
    out.push_back(std::move(nodes));
  }
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.front()->isBefore(b.front()); });
  return out;
}

Estimate estimateOf(const std::vector<Node*>& region, const LayoutChoice& choice, const Analysis& a) {
  double bytes = 0, seconds = 0;
  for (Node* n : region) {
    auto saved = choice.savedBytes.find(n);
    if (saved != choice.savedBytes.end()) bytes += static_cast<double>(saved->second);
    seconds += secondsOf(costOf(n, a.traced), *a.target.gpu);
  }
  Cost saved;
  saved.bytesRead = saved.bytesWritten = std::max(bytes, 0.0) / 2;
  double savedSeconds = secondsOf(saved, *a.target.gpu);
  return estimateOfSaving(saved, savedSeconds, seconds + savedSeconds, *a.target.gpu);
}

RegionPass passOver(const std::vector<Node*>& region, const char* title, std::vector<std::string> before) {
  RegionPass pass;
  pass.nodes = region;
  pass.title = title;
  pass.rulesBefore = std::move(before);
  pass.change = layOutChannelsLast;
  pass.changeByKernels = layOutByKernels;
  return pass;
}

std::string nounOf(std::size_t rank) {
  return rank == kRankOfSignals ? "signal" : rank == kRankOfVolumes ? "volume" : "image";
}

std::string messageOf(const std::vector<Node*>& convolutions, const Analysis& a) {
  auto* image = a.traced.find(convolutions.front()->input(0));
  const auto rank = image ? image->shape.size() : kRankOfImages;
  const std::string noun = nounOf(rank);
  auto first = std::count_if(convolutions.begin(), convolutions.end(), [&](Node* n) {
    auto* read = a.traced.find(n->input(0));
    return read && layoutOf(*read) != ImageLayout::Last;
  });
  auto all = static_cast<std::ptrdiff_t>(convolutions.size());
  if (first == 0 && rank == kRankOfSignals)
    return all == 1 ? "a convolution of a signal copies it out of rows of channels"
                    : std::to_string(all) + " convolutions of signals copy them out of rows of channels";
  if (first == 0)
    return all == 1 ? "the weight of this convolution of a channels_last " + noun +
                          " is stored with channels first"
                    : "the weights of " + std::to_string(all) + " convolutions of channels_last " + noun +
                          "s are stored with channels first";
  return first == 1 ? "a convolution reads its " + noun + " with channels first"
                    : std::to_string(first) + " convolutions read their " + noun +
                          "s with channels first, one after another";
}

CodedFinding findingOf(const std::vector<Node*>& region, const std::vector<Node*>& convolutions,
                       const Analysis& a) {
  CodedFinding f;
  f.node = convolutions.front();
  f.related.assign(convolutions.begin() + 1, convolutions.end());
  f.message = messageOf(convolutions, a);
  f.passes.push_back(passOver(region,
                              "lay the region out in channels_last, with norms and activations in the "
                              "convolutions",
                              {std::begin(kBefore), std::end(kBefore)}));
  f.passes.push_back(passOver(region, "lay the region out in channels_last", {}));
  return f;
}

}  // namespace

CodedResult findConvolutionsInNchw(const RulePage&, const Analysis& a) {
  CodedResult out;
  if (a.traced.empty()) {
    out.whyNothing = "needs the shapes of a run";
    return out;
  }
  StandIns none;
  bool isGpu = a.target.device == "cuda";
  auto mayChange = [&, isRankKnown = RankKnown(a)](const Node* n) mutable {
    return isRankKnown(n) && (isGpu || !convertsBack(n));
  };
  const Shapes shapes(a.traced, none);
  auto choice = chooseLayouts(a.graph.block(), shapes, a.aliases, mayChange);
  auto regions = regionsAround(withRowReaders(choice, shapes));
  for (auto& region : togetherBySharedImages(regions, choice, shapes)) {
    auto convolutions = convolutionsIn(region, choice);
    if (convolutions.empty()) continue;
    out.findings.push_back(findingOf(region, convolutions, a));
    out.findings.back().estimate = estimateOf(region, choice, a);
  }
  if (out.findings.empty())
    out.whyNothing =
        "no convolutions of channels-first images gain more by channels_last than converting around them "
        "costs";
  return out;
}

}  // namespace kadvise::graph
