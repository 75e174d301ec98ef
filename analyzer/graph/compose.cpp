// Campaign::compose: the whole module with a set of candidates applied.
#include "analyzer/graph/apply.h"
#include "analyzer/graph/artefact.h"
#include "analyzer/graph/campaign.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/fold_constants.h"
#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/unsafe_pieces.h"

namespace kadvise::graph {
namespace {

// Moves the module to where the user's file has its weights; "", or why that device cannot be had.
std::string moveToDevice(jit::Module& module, const std::string& device) {
  if (device == "cpu") return "";
  if (!loadHalfFor(device)) return "LibTorch's CUDA library is not there";
  try {
    module.to(c10::Device(device));
    return "";
  } catch (const std::exception& e) {
    std::string said = e.what();
    return said.substr(0, said.find_first_of(".\n"));
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
  forEachNode(graph.block(), [&](jit::Node* n) {
    int id = nodeId(n);
    if (id >= 0 && id < static_cast<int>(nodes.size()))
      n->setSourceRange(nodes[static_cast<std::size_t>(id)].range);
  });
}

bool isSameSize(const jit::Value* a, const jit::Value* b) {
  if (a == b) return true;
  auto *m = a->node(), *n = b->node();
  if (m->kind() != jit::aten::size || n->kind() != jit::aten::size || m->input(0) != n->input(0))
    return false;
  auto first = m->inputs().size() == 2 ? jit::toIValue(m->input(1)) : std::nullopt,
       second = n->inputs().size() == 2 ? jit::toIValue(n->input(1)) : std::nullopt;
  return first && second && first->isInt() && second->isInt() && first->toInt() == second->toInt();
}

// A check that a replacement brings can be about one number under two names. The user's own are left alone: a
// tensor may be of another size when it is asked again.
void settleTrueChecks(jit::Graph& graph) {
  forEachNode(graph.block(), [&](jit::Node* n) {
    bool isOurs = n->kind() == jit::aten::eq && isInserted(n);
    if (!isOurs || n->input(0)->type()->kind() != c10::TypeKind::IntType) return;
    if (!isSameSize(n->input(0), n->input(1))) return;
    jit::WithInsertPoint here(n);
    n->output()->replaceAllUsesWith(graph.insertConstant(true));
  });
}

// Attributes that no method reads, such as a name: parts made anew have only what is read.
void keepAttributes(const jit::Module& from, jit::Module& to) {
  auto type = from.type();
  for (std::size_t i = 0; i < type->numAttributes(); ++i) {
    auto& name = type->getAttributeName(i);
    auto value = from.attr(name);
    bool isPlain = !value.isTensor() && !value.isObject() && !value.isModule();
    if (isPlain && !to.hasattr(name)) to.register_attribute(name, type->getAttribute(i), value);
  }
}

std::string foldedWords(int count) {
  return (count == 1 ? std::string("1 weight was") : std::to_string(count) + " weights were") +
         " folded into buffers kadvise_folded_N; they follow .to(), and state_dict() "
         "holds them beside the original parameters, from which they are not computed again";
}

// users: how many of the nodes are the user's; they come first.
Json recordOf(const Json& provenance, const std::vector<NodeInfo>& nodes, std::size_t users) {
  Json record = provenance;
  for (std::size_t i = 0; i < users; ++i) {
    const NodeInfo& n = nodes[i];
    record["nodes"].push_back({{"id", n.id},
                               {"op", n.op},
                               {"scope", n.where.scope},
                               {"file", n.where.file},
                               {"line", n.where.line}});
  }
  return record;
}

}  // namespace

// "" when it was applied, else why not.
std::string Campaign::applySite(Composed& to, const Proposal& p, std::size_t site) {
  auto& ids = p.sites[site];
  if (p.pass) {
    // What an earlier round put there has ids of its own by now.
    const StandIns none;
    auto& made = p.candidate.round == 1 ? to.standIns : none;
    auto did = applyPass(to.module, *p.pass, ids, tracedIn(p.candidate.round), made);
    auto graph = to.module.get_method("forward").graph();
    auto* first = nodeWithId(*graph, ids.front());
    made_.nameConversions(*graph, p.candidate.id, first ? where(first) : Location());
    return did.empty() ? "nothing is left to do after the other changes" : "";
  }
  auto* first = nodeWithId(*to.module.get_method("forward").graph(), ids.front());
  Location answered = first ? where(first) : Location();
  auto done =
      graph::applyAt(to.module, *p.pattern, *p.replacement, ids, tracedIn(p.candidate.round), to.standIns);
  made_.name(done.inserted, p.candidate.id, site, answered);
  bool isMissing = done.status == SiteStatus::Gone && p.candidate.round > 1;
  return done.whyNot + (isMissing ? ", or what makes it was not applied" : "");
}

void Campaign::applyProposal(Composed& to, const Proposal& p, const std::set<std::string>& without) {
  int sites = 0;
  for (std::size_t i = 0; i < p.sites.size(); ++i) {
    if (without.count(p.candidate.findings[i])) continue;
    auto why = applySite(to, p, i);
    if (why.empty()) ++sites;
    else to.dropped.push_back({{"candidate", p.candidate.id}, {"reason", why}});
  }
  to.isChanged = to.isChanged || sites > 0;
  to.applied.push_back({{"candidate", p.candidate.id}, {"sites", sites}});
}

Json Campaign::compose(const ComposeRequest& request) {
  auto composed = apply(request.candidates, request.without, Last::AsApplied);
  auto& module = composed.module;
  Json notes = Json::array();
  auto facts = specialisation_.facts;
  auto sizes = insertSizeGuards(*module.get_method("forward").graph(), subject_.guards);
  if (facts.empty() && composed.isChanged)
    facts = checkInputs(*module.get_method("forward").graph(), traced_);
  facts.insert(facts.end(), sizes.begin(), sizes.end());
  settleTrueChecks(*module.get_method("forward").graph());
  simplify(module.get_method("forward").graph());
  int folded = foldWeights(module, HandedTo::Caller);
  forgetMadeIds(*module.get_method("forward").graph());
  if (folded > 0 && !request.cudaGraph) notes.push_back(foldedWords(folded));
  Json reply = {
      {"path", request.path.string()}, {"applied", composed.applied}, {"dropped", composed.dropped}};
  if (!request.withWeights) {
    dropWeights(module);
    saveWhole(module, request.path);
  } else {
    writeComplete(module, request, facts, reply, notes);
  }
  if (!facts.empty())
    notes.push_back("the new module takes what this run gave, and says so otherwise: " + joined(facts));
  reply["notes"] = notes;
  return reply;
}

// The module by itself, weights and all.
void Campaign::writeComplete(jit::Module& module, const ComposeRequest& request,
                             std::vector<std::string>& facts, Json& reply, Json& notes) {
  // First of all, since a table may ask for the device that the module was traced on.
  const std::string whyNotThere = moveToDevice(module, subject_.savedDevice);
  if (whyNotThere.empty()) subject_.fileTensors.move(module, c10::Device(subject_.savedDevice));
  finishFolding(module);
  if (whyNotThere.empty() && subject_.savedDevice != "cpu")
    foldConstantsEverywhere(module.get_method("forward").graph());
  writtenPiecesAsLoaded(*module.get_method("forward").graph(), subject_.unsafePieces, subject_.nodes);
  Carved parts{module, {}, nullptr};
  if (request.cudaGraph) {
    auto captured = captureIn(module, subject_.nodes, traced_, *request.cudaGraph);
    reply["cudaGraph"] = captured.said;
    if (!captured.carved) return;  // nothing that would differ from the module without it
    parts = *captured.carved;
    facts.insert(facts.end(), captured.facts.begin(), captured.facts.end());
  }
  moveToDevice(parts.module, subject_.savedDevice);
  restoreRanges(*parts.module.get_method("forward").graph(), subject_.nodes);
  for (auto& piece : parts.pieces) {
    moveToDevice(piece, subject_.savedDevice);
    for (const auto& method : piece.get_methods()) restoreRanges(*method.graph(), subject_.nodes);
  }
  keepAttributes(subject_.module, parts.module);
  addRunners(parts);
  if (!whyNotThere.empty())
    notes.push_back("the original has its weights on " + subject_.savedDevice +
                    ", to which they could not be moved (" + whyNotThere +
                    "): the new file has them on the CPU; load it with map_location='" +
                    subject_.savedDevice + "'");
  auto record = recordOf(request.provenance, subject_.nodes, made_.users());
  saveInto(parts.module, request.path,
           {{"kadvise.json", record.dump(-1, ' ', false, Json::error_handler_t::replace)}});
}

}  // namespace kadvise::graph
