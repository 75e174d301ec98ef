#include "analyzer/graph/near_places.h"

#include <algorithm>
#include <cctype>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/match.h"

namespace kadvise::graph {
namespace {

using jit::Node;

NearMatch nearestAt(const Rule& rule, Node* anchor, const TracedValues& traced) {
  NearMatch best;
  for (auto& group : rule.groups)
    for (auto& pattern : group.patterns) matchNearly(pattern, anchor, traced, best);
  return best;
}

bool hasMost(const NearMatch& m) { return m.matched >= 2 && 2 * m.matched > m.of; }

bool overlaps(const std::set<Node*>& a, const std::set<Node*>& b) {
  return std::any_of(a.begin(), a.end(), [&](Node* n) { return b.count(n) != 0; });
}

NearPlace placeOf(const Rule& rule, const NearMatch& m, const std::vector<NodeInfo>& nodes) {
  NearPlace place;
  place.rule = rule.page->id;
  place.where = placeOf(m.anchor, nodes);
  place.matched = static_cast<int>(m.matched);
  place.of = static_cast<int>(m.of);
  for (auto& o : m.obstacles)
    place.differences.push_back({o.node ? placeOf(o.node, nodes) : place.where, o.mismatch});
  return place;
}

// "encoder.layer.3.output" and "encoder.layer.4.output" are layers alike.
std::string withoutDigits(std::string scope) {
  std::erase_if(scope, [](unsigned char c) { return std::isdigit(c) != 0; });
  return scope;
}

bool isAlike(const NearPlace& a, const NearPlace& b) {
  if (a.where.file != b.where.file || a.where.line != b.where.line || a.matched != b.matched || a.of != b.of)
    return false;
  if (withoutDigits(a.where.scope) != withoutDigits(b.where.scope) ||
      a.differences.size() != b.differences.size())
    return false;
  // The words name parameters, whose paths have the layer's number.
  return std::equal(a.differences.begin(), a.differences.end(), b.differences.begin(), [](auto& x, auto& y) {
    return x.mismatch.at == y.mismatch.at &&
           withoutDigits(x.mismatch.reason) == withoutDigits(y.mismatch.reason);
  });
}

}  // namespace

Location placeOf(const Node* n, const std::vector<NodeInfo>& nodes) {
  Location at = locate(n, nodes);
  for (int depth = 0; at.line == 0 && at.scope.empty() && depth < 4; ++depth) {
    if (n->outputs().empty() || !n->output(0)->hasUses()) break;
    n = n->output(0)->uses()[0].user;
    at = locate(n, nodes);
  }
  return at;
}

std::vector<NearPlace> nearPlaces(const Rule& rule, jit::Graph& graph, const std::set<Node*>& matched,
                                  const std::vector<NodeInfo>& nodes, const TracedValues& traced,
                                  std::size_t most) {
  std::vector<NearMatch> found;
  forEachNode(graph.block(), [&](Node* anchor) {
    if (matched.count(anchor)) return;
    auto near = nearestAt(rule, anchor, traced);
    if (near.anchor && (matched.empty() || (hasMost(near) && !overlaps(near.nodes, matched))))
      found.push_back(std::move(near));
  });
  std::stable_sort(found.begin(), found.end(), [](auto& a, auto& b) {
    if (a.nearness() != b.nearness()) return a.nearness() > b.nearness();
    return a.obstacles.size() < b.obstacles.size();
  });
  std::vector<NearPlace> out;
  std::set<Node*> shown;
  for (auto& m : found) {
    if (2 * m.nearness() < found[0].nearness()) break;  // not of the kind of the nearest
    if (overlaps(m.nodes, shown)) continue;             // a part of a nearer place
    shown.insert(m.nodes.begin(), m.nodes.end());
    NearPlace place = placeOf(rule, m, nodes);
    auto same = std::find_if(out.begin(), out.end(), [&](auto& p) { return isAlike(p, place); });
    if (same != out.end()) ++same->sites;
    else if (out.size() < most) out.push_back(std::move(place));
  }
  return out;
}

}  // namespace kadvise::graph
