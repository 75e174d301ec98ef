// Later rounds of matching: a replacement may bring about the place of another one, so the rules look again
// at the module that the kept ones make.
#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/campaign.h"
#include "analyzer/graph/einsum_steps.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/normal_form.h"
#include "analyzer/graph/places_of_results.h"
#include "analyzer/graph/sizes_of_makers.h"
#include "analyzer/graph/specialise.h"
#include "analyzer/graph/undone_views.h"

namespace kadvise::graph {
namespace {

// Patterns are in normal form, and what a replacement brings is not.
void settle(const TracedValues& traced, const StandIns& standIns, const jit::Module& module,
            MadeNodes& made) {
  auto graph = module.get_method("forward").graph();
  einsumsInSteps(*graph, Shapes(traced, standIns));
  simplify(graph);
  askMakersForSizes(graph, traced);
  dropUndoneViews(graph, traced);
  normaliseAgain(graph);
  made.nameCopies(*graph);
}

// What the run saw of the made nodes may settle what replacements check, and with it what they compute only
// to check it. The inputs are checked in the module that is written.
void simplifyBy(const TracedValues& traced, const jit::Module& module, MadeNodes& made) {
  auto graph = module.get_method("forward").graph();
  simplifyByFacts(graph, traced);
  PlacesOfResults places(graph);
  askMakersForSizes(graph, traced);
  made.nameCopies(*graph);
}

}  // namespace

Campaign::Composed Campaign::apply(const std::vector<std::string>& candidates,
                                   const std::set<std::string>& without, Last last) {
  Composed out{subject_.module.clone(kSharedTensors)};
  auto order = inOrder(candidates);
  int round = 1;
  for (auto i : order) {
    auto& p = proposals_[i];
    for (; round < p.candidate.round; ++round) {
      settle(tracedIn(round), out.standIns, out.module, made_);
      simplifyBy(tracedIn(round + 1), out.module, made_);
    }
    applyProposal(out, p, without);
  }
  if (last == Last::Settled) {
    settle(tracedIn(round), out.standIns, out.module, made_);
  } else if (round > 1) {
    auto graph = out.module.get_method("forward").graph();
    simplify(graph);
    askMakersForSizes(graph, tracedIn(round));
  }
  return out;
}

// By rounds, and in each its passes last: what a later round replaces was measured in what they made. What a
// pass stands on comes first in its round: a candidate that does half of it, wanted or not, would be in its
// way.
std::vector<std::size_t> Campaign::inOrder(const std::vector<std::string>& candidates) const {
  std::vector<std::size_t> wanted, out;
  for (auto& id : candidates) wanted.push_back(static_cast<std::size_t>(&proposal(id) - proposals_.data()));
  auto add = [&](std::size_t i) {
    if (std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
  };
  for (auto i : wanted)
    for (auto before : proposals_[i].before) add(before);
  for (auto i : wanted) add(i);
  std::stable_sort(out.begin(), out.end(), [this](auto a, auto b) {
    auto &x = proposals_[a], &y = proposals_[b];
    return std::pair(x.candidate.round, x.pass.has_value()) <
           std::pair(y.candidate.round, y.pass.has_value());
  });
  return out;
}

const Proposal& Campaign::proposal(const std::string& candidate) const {
  auto p = std::find_if(proposals_.begin(), proposals_.end(),
                        [&](auto& x) { return x.candidate.id == candidate; });
  if (p == proposals_.end()) throw Error("compose", "there is no candidate " + candidate);
  return *p;
}

Json Campaign::advance(const std::vector<std::string>& candidates, const std::set<std::string>& without,
                       const std::filesystem::path& path) {
  auto composed = apply(candidates, without, Last::Settled);
  auto base = composed.module.clone(kSharedTensors);
  dropWeights(base);
  nameResults(*base.get_method("forward").graph());
  saveWhole(base, path);
  laterRounds_.push_back({composed.module, {}});
  return {{"path", path.string()},
          {"applied", composed.applied},
          {"dropped", composed.dropped},
          {"notes", Json::array()}};
}

Json Campaign::matchAgain(const TracedValues& traced, const Replies& replies) {
  if (laterRounds_.empty()) throw Error("match", "there is no later round yet");
  Round& looked = laterRounds_.back();
  looked.traced = traced;
  auto graph = looked.module.get_method("forward").graph();
  completeTrace(*graph, looked.module, looked.traced);
  simplifyBy(looked.traced, looked.module, made_);
  auto aliases = aliasesOf(graph, &looked.module);
  auto options = options_;
  options.mostNear = 0;
  Outcome out{replies, looked.module, looked.traced, options, *aliases, 1, {}, {}, {}, {}, {}, {}, {}, false};
  out.round = 1 + static_cast<int>(laterRounds_.size());
  std::vector<NotApplicable> stopped;
  for (auto& page : pages_) {
    replies.progress("matching " + page->id + " again");
    if (auto why = matchRuleAgain(*page, out); !why.empty()) stopped.push_back({page->id, why});
  }
  tellCandidates(out);
  // What else a rule refuses here, or does not find, the first round has said of the user's own code.
  return {{"refused", Json::array()}, {"notApplicable", stopped}, {"regions", "regions.json"}};
}

// Why LibTorch stopped it, which costs no other rule. A page that could not be used in the first round has
// been told of.
std::string Campaign::matchRuleAgain(const RulePage& page, Outcome& out) {
  if (!page.isAbout(out.options.target.device)) return "";
  try {
    if (!page.function.empty()) {
      matchCoded(page, out);
      return "";
    }
    auto rule = std::find_if(rules_.begin(), rules_.end(), [&](auto& r) { return r->page == &page; });
    if (rule == rules_.end()) return "";
    if (!(*rule)->holdsFor(out.present)) *rule = std::make_shared<Rule>(compileRule(page, &out.present));
    matchPatterns(*rule, out);
  } catch (const Error&) {
  } catch (const std::exception& e) {
    return briefly(e);
  }
  return "";
}

}  // namespace kadvise::graph
