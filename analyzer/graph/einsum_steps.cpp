#include "analyzer/graph/einsum_steps.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

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

bool has(const std::string& s, char c) { return s.find(c) != std::string::npos; }

bool isPlain(const std::string& s) {
  return !s.empty() && std::set<char>(s.begin(), s.end()).size() == s.size() &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalpha(c); });
}

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
  bool arePlain = std::all_of(out.operands.begin(), out.operands.end(), isPlain);
  return areShared && arePlain && isPlain(out.result) ? std::optional(out) : std::nullopt;
}

// What a pair leaves for the others, in the order in which ATen keeps it: as in the result, then by the
// alphabet.
std::string keptOf(const std::string& pair, const Letters& all, std::size_t next) {
  std::string kept, summedLater;
  for (char c : all.result)
    if (has(pair, c)) kept += c;
  for (char c : std::set<char>(pair.begin(), pair.end())) {
    bool isRead = std::any_of(all.operands.begin() + static_cast<std::ptrdiff_t>(next), all.operands.end(),
                              [&](auto& o) { return has(o, c); });
    if (!has(all.result, c) && isRead) summedLater += c;
  }
  return kept + summedLater;
}

struct Operand {
  Value* value;
  std::string letters;
};

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
    if (!has(operand.letters, letters[d]))
      v = s.insert(at, aten::unsqueeze, {v, s.constant(at, static_cast<std::int64_t>(d))})->output();
  return v;
}

Operand contracted(const Step& s, Node* n, const Operand& a, const Operand& b, const std::string& kept) {
  const std::string pair = a.letters + b.letters;
  if (std::all_of(pair.begin(), pair.end(), [&](char c) { return has(kept, c); }))
    return {s.insert(n, aten::mul, {aligned(s, n, a, kept), aligned(s, n, b, kept)})->output(), kept};
  Value* list = s.insert(n, jit::prim::ListConstruct, {a.value, b.value})->output();
  list->setType(c10::ListType::ofTensors());
  std::vector<Value*> inputs = {s.constant(n, a.letters + "," + b.letters + "->" + kept), list};
  if (n->inputs().size() > 2) inputs.push_back(n->input(2));
  return {s.insert(n, kEinsum, inputs)->output(), kept};
}

}  // namespace

void einsumInSteps(const Step& s, Node* n) {
  Node* list = n->input(1)->node();
  auto text = jit::toIValue(n->input(0));
  bool hasPath = n->inputs().size() > 2 && !isNone(n->input(2));
  if (!text || !text->isString() || hasPath || list->kind() != jit::prim::ListConstruct) return;
  auto letters = lettersOf(text->toStringRef());
  const std::size_t count = list->inputs().size();
  if (!letters || count < 3 || letters->operands.size() != count) return;
  Operand so{list->input(0), letters->operands[0]};
  for (std::size_t i = 1; i < count; ++i) {
    const Operand next{list->input(i), letters->operands[i]};
    auto kept = i + 1 == count ? letters->result : keptOf(so.letters + next.letters, *letters, i + 1);
    so = contracted(s, n, so, next, kept);
  }
  s.replace(n, so.value);
}

}  // namespace kadvise::graph
