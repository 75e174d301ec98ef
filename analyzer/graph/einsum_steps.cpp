#include "analyzer/graph/einsum_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/graph/einsum_equation.h"
#include "analyzer/graph/layout_observers.h"
#include "analyzer/graph/step.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

const c10::Symbol kEinsum = c10::Symbol::aten("einsum");

struct Letters {
  std::vector<std::string> operands;
  std::string result;
};

// Every letter once in each, and in more than one of them.
std::optional<Letters> lettersOf(std::string text) {
  std::erase(text, ' ');
  auto arrow = text.find("->");
  if (arrow == std::string::npos) return std::nullopt;
  Letters out{{""}, text.substr(arrow + 2)};
  for (char c : text.substr(0, arrow))
    if (c == ',') out.operands.emplace_back();
    else out.operands.back() += c;
  std::string all = out.result;
  for (auto& o : out.operands) all += o;
  bool areShared =
      std::all_of(all.begin(), all.end(), [&](char c) { return std::count(all.begin(), all.end(), c) > 1; });
  bool arePlain = std::all_of(out.operands.begin(), out.operands.end(), areDistinctLetters);
  return areShared && arePlain && areDistinctLetters(out.result) ? std::optional(out) : std::nullopt;
}

struct Operand {
  Value* value;
  std::string letters;
};

using Operands = std::vector<Operand>;

// What a pair leaves for the others, in the order in which ATen keeps it: as in the result, then by the
// alphabet.
std::string keptOf(const std::string& pair, const Operands& others, const std::string& result) {
  std::string kept, summedLater;
  for (char c : result)
    if (hasLetter(pair, c)) kept += c;
  for (char c : std::set<char>(pair.begin(), pair.end())) {
    bool isRead = std::any_of(others.begin(), others.end(), [&](auto& o) { return hasLetter(o.letters, c); });
    if (!hasLetter(result, c) && isRead) summedLater += c;
  }
  return kept + summedLater;
}

// Its dimensions in the order of the letters, with one of size 1 for each that it lacks.
Value* aligned(const Step& s, Node* at, const Operand& operand, const std::string& letters) {
  std::vector<std::int64_t> order;
  for (char c : letters)
    if (auto place = operand.letters.find(c); place != std::string::npos)
      order.push_back(static_cast<std::int64_t>(place));
  Value* v = operand.value;
  if (!std::is_sorted(order.begin(), order.end()))
    v = s.insert(at, aten::permute, {v, s.constant(at, order)})->output();
  for (std::size_t d = 0; d < letters.size(); ++d)
    if (!hasLetter(operand.letters, letters[d]))
      v = s.insert(at, aten::unsqueeze, {v, s.constant(at, static_cast<std::int64_t>(d))})->output();
  return v;
}

Operand contracted(const Step& s, Node* n, const Operand& a, const Operand& b, const std::string& kept) {
  const std::string pair = a.letters + b.letters;
  if (std::all_of(pair.begin(), pair.end(), [&](char c) { return hasLetter(kept, c); }))
    return {s.insert(n, aten::mul, {aligned(s, n, a, kept), aligned(s, n, b, kept)})->output(), kept};
  Value* list = s.insert(n, jit::prim::ListConstruct, {a.value, b.value})->output();
  list->setType(c10::ListType::ofTensors());
  std::vector<Value*> inputs = {s.constant(n, a.letters + "," + b.letters + "->" + kept), list};
  if (n->inputs().size() > 2) inputs.push_back(s.constant(n, c10::IValue()));
  return {s.insert(n, kEinsum, inputs)->output(), kept};
}

// Of each pair the places of its operands among those that are left. ATen puts the result in front of them
// where it has no path, as here, else behind them.
struct Order {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  bool isPath = false;
};

std::optional<Order> orderOf(const Node* n, std::size_t count) {
  Order order{std::vector<std::pair<std::size_t, std::size_t>>(count - 1, {0, 1})};
  auto given = n->inputs().size() > 2 ? jit::toIValue(n->inputs()[2]) : std::optional(c10::IValue());
  if (!given) return std::nullopt;
  if (given->isNone()) return order;
  if (!given->isIntList() || given->toIntVector().size() != 2 * (count - 1)) return std::nullopt;
  const auto places = given->toIntVector();
  order.isPath = true;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    auto [low, high] = std::minmax(places[2 * i], places[2 * i + 1]);
    if (low < 0 || low == high || high >= static_cast<std::int64_t>(count - i)) return std::nullopt;
    order.pairs[i] = {static_cast<std::size_t>(low), static_cast<std::size_t>(high)};
  }
  return order;
}

Operand takeOut(Operands& all, std::size_t place) {
  Operand out = all[place];
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(place));
  return out;
}

Operands operandsOf(const Node* list, const Letters& letters) {
  Operands out;
  for (std::size_t i = 0; i < letters.operands.size(); ++i)
    out.push_back({const_cast<Value*>(list->inputs()[i]), letters.operands[i]});
  return out;
}

// Every letter has one size, and all operands one floating dtype.
bool isPlainSum(const Operands& operands, const Shapes& shapes) {
  std::map<char, std::int64_t> sizes;
  std::set<c10::ScalarType> dtypes;
  for (auto& o : operands) {
    auto* seen = shapes.tensor(o.value);
    if (!seen || seen->shape.size() != o.letters.size() || !c10::isFloatingType(seen->dtype)) return false;
    dtypes.insert(seen->dtype);
    for (std::size_t d = 0; d < o.letters.size(); ++d)
      if (sizes.emplace(o.letters[d], seen->shape[d]).first->second != seen->shape[d]) return false;
  }
  return dtypes.size() == 1;
}

void inSteps(const Step& s, Node* n, const Shapes& shapes) {
  Node* list = n->input(1)->node();
  auto text = jit::toIValue(n->input(0));
  if (!text || !text->isString() || list->kind() != jit::prim::ListConstruct) return;
  auto letters = lettersOf(text->toStringRef());
  const std::size_t count = list->inputs().size();
  if (!letters || count < 3 || letters->operands.size() != count) return;
  auto order = orderOf(n, count);
  Operands left = operandsOf(list, *letters);
  if (!order || !isPlainSum(left, shapes) || strideObserver(n->output())) return;
  for (auto [low, high] : order->pairs) {
    const Operand b = takeOut(left, high), a = takeOut(left, low);
    auto kept = left.empty() ? letters->result : keptOf(a.letters + b.letters, left, letters->result);
    left.insert(order->isPath ? left.end() : left.begin(), contracted(s, n, a, b, kept));
  }
  s.replace(n, left.front().value);
}

}  // namespace

void einsumsInSteps(jit::Graph& graph, const Shapes& shapes) {
  forEachStep(graph, [&](const Step& s, Node* n) {
    if (n->kind() == kEinsum) inSteps(s, n, shapes);
  });
}

}  // namespace kadvise::graph
