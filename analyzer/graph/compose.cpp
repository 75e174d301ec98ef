// Campaign::compose: the whole module with a set of candidates applied.
#include <dlfcn.h>

#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/campaign.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/settled.h"

namespace kadvise::graph {
namespace {

using jit::Node;

Node* nodeWithId(jit::Graph& graph, int id) {
  Node* found = nullptr;
  forEachNode(graph.block(), [&](Node* n) {
    if (nodeId(n) == id && n->kind() != jit::prim::Constant) found = n;
  });
  return found;
}

// A rule was asked about the ranks and dtypes that the run saw. Those that the checks of the inputs do not
// settle, since they come out of a list or a loop, are checked in the place itself.
void checkParameters(const Pattern& pattern, const Match& match, Node* before, const TracedValues& traced) {
  Settled settled(*before->owningGraph(), traced);
  for (auto* p : pattern.graph->inputs()) {
    auto* v = match.at(p);
    if (!isTensor(v) || attributePath(v) || settled.tensor(v)) continue;
    if (auto check = checkOf(v, traced)) insertCheck(v, *check, before);
  }
}

// Moves the module to where the user's file has its weights; false where that device cannot be had.
// LibTorch's CUDA half is loaded for this alone: it costs a tenth of a second and 350 MiB.
bool moveToDevice(jit::Module& module, const std::string& device) {
  if (device == "cpu") return true;
  if (!::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL)) return false;
  try {
    module.to(c10::Device(device));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (auto& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

// Gives the nodes their own source ranges back, so that an error in the optimised module names the user's
// line.
void restoreRanges(jit::Graph& graph, const std::vector<NodeInfo>& nodes) {
  forEachNode(graph.block(), [&](Node* n) {
    int id = nodeId(n);
    if (id >= 0 && id < static_cast<int>(nodes.size()))
      n->setSourceRange(nodes[static_cast<std::size_t>(id)].range);
  });
}

}  // namespace

// "" when it was applied, else why not.
std::string Campaign::applyAt(const jit::Module& module, const Proposal& p, std::size_t site) {
  auto graph = module.get_method("forward").graph();
  const TracedValues& traced = tracedIn(p.candidate.round);
  std::vector<Node*> roots;
  for (int id : p.sites[site]) {
    roots.push_back(nodeWithId(*graph, id));
    if (roots.back()) continue;
    return p.candidate.round == 1
               ? "another candidate replaced this region"
               : "another candidate replaced this region, or what makes it was not applied";
  }
  NearMiss near;
  auto match = matchAt(*p.pattern, roots, traced, near);
  if (!match) return "another candidate changed this region";
  auto aliases = aliasesOf(graph, &module);
  if (auto why = whyUnsafe(*p.pattern, *match, *aliases, memoryOfResults(*p.replacement)))
    return why->at + " " + why->reason;
  Location answered = where(match->anchor);
  auto done = rewrite(*graph, *p.pattern, *p.replacement, *match, *aliases);
  if (done.refused) return done.refused->at + " " + done.refused->reason;
  made_.name(done.inserted, p.candidate.id, site, answered);
  if (!done.inserted.empty()) checkParameters(*p.pattern, *match, done.inserted.front(), traced);
  return "";
}

void Campaign::applyProposal(Composed& out, const Proposal& p, const std::set<std::string>& without) {
  int sites = 0;
  for (std::size_t i = 0; i < p.sites.size(); ++i) {
    if (without.count(p.candidate.findings[i])) continue;
    auto why = applyAt(out.module, p, i);
    if (why.empty()) ++sites;
    else out.dropped.push_back({{"candidate", p.candidate.id}, {"reason", why}});
  }
  out.isChanged = out.isChanged || sites > 0;
  out.applied.push_back({{"candidate", p.candidate.id}, {"sites", sites}});
}

Json Campaign::compose(const std::vector<std::string>& candidates, const std::set<std::string>& without,
                       const std::filesystem::path& path, bool withWeights, const Json& provenance) {
  auto [module, applied, dropped, isChanged] = apply(candidates, without, Last::AsApplied);
  Json notes = Json::array();
  auto facts = specialisation_.facts;
  if (facts.empty() && isChanged) facts = checkInputs(*module.get_method("forward").graph(), traced_);
  if (!facts.empty())
    notes.push_back("the new module takes what this run gave, and says so otherwise: " + joined(facts));
  simplify(module.get_method("forward").graph());
  int folded = foldWeights(module);
  forgetMadeIds(*module.get_method("forward").graph());
  if (folded > 0)
    notes.push_back((folded == 1 ? std::string("1 weight was") : std::to_string(folded) + " weights were") +
                    " folded into buffers kadvise_folded_N; they follow .to(), and state_dict() "
                    "holds them beside the original parameters, from which they are not computed again");
  if (!withWeights) {
    dropWeights(module);
    saveWhole(module, path);
  } else {
    finishFolding(module);
    auto graph = module.get_method("forward").graph();
    restoreRanges(*graph, subject_.nodes);
    Json record = provenance;
    for (std::size_t i = 0; i < made_.users(); ++i) {
      const NodeInfo& n = subject_.nodes[i];
      record["nodes"].push_back({{"id", n.id},
                                 {"op", n.op},
                                 {"scope", n.where.scope},
                                 {"file", n.where.file},
                                 {"line", n.where.line}});
    }
    if (!moveToDevice(module, subject_.savedDevice))
      notes.push_back("the original has its weights on " + subject_.savedDevice +
                      ", which this machine does not have: the new file has "
                      "them on the CPU; load it with map_location='" +
                      subject_.savedDevice + "'");
    saveInto(module, path, {{"kadvise.json", record.dump(-1, ' ', false, Json::error_handler_t::replace)}});
  }
  return {{"path", path.string()}, {"applied", applied}, {"dropped", dropped}, {"notes", notes}};
}

}  // namespace kadvise::graph
