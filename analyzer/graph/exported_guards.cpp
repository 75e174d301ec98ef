#include "analyzer/graph/exported_guards.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <regex>

#include "analyzer/core/error.h"
#include "analyzer/core/specialised.h"
#include "analyzer/graph/exported_values.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

struct Size {
  std::int64_t factor = 0;  // a fixed size where there is no symbol
  std::string symbol;
  std::int64_t more = 0;  // than the symbol times the factor
};

constexpr std::size_t kMostDimensions = 64;  // of a tensor of torch's

// What torch.export writes of a dimension: a number, a symbol, a symbol times a number, or with a number
// added. Others, sums of symbols say, are left to what the program computes.
std::optional<Size> sizeOf(const Json& dimension) {
  if (dimension.contains("as_int")) {
    const auto size = dimension["as_int"].get<std::int64_t>();
    return size >= 0 ? std::optional(Size{size, ""}) : std::nullopt;
  }
  if (!dimension.contains("as_expr")) return std::nullopt;
  const std::string symbol = R"(Symbol\('(\w{1,40})'(?:, \w{1,20}=True){0,8}\))";
  static const std::regex kPlain(symbol), kTimes(R"(Mul\(Integer\((\d{1,9})\), )" + symbol + R"(\))"),
      kPlus("Add\\(" + symbol + R"(, Integer\((-?\d{1,9})\)\))");
  const auto text = dimension["as_expr"].at("expr_str").get<std::string>();
  std::smatch found;
  constexpr std::size_t kMost = 200;
  if (text.size() > kMost) return std::nullopt;
  if (std::regex_match(text, found, kPlain)) return Size{1, found[1]};
  if (std::regex_match(text, found, kPlus)) return Size{1, found[1], std::stoll(found[2])};
  if (!std::regex_match(text, found, kTimes) || std::stoll(found[1]) < 1) return std::nullopt;
  return Size{std::stoll(found[1]), found[2]};
}

std::string wordsOf(const std::optional<Size>& s) {
  if (!s) return "…";
  if (s->symbol.empty()) return std::to_string(s->factor);
  if (s->more != 0) return s->symbol + (s->more > 0 ? "+" : "") + std::to_string(s->more);
  return s->factor == 1 ? s->symbol : std::to_string(s->factor) + s->symbol;
}

// A name goes into the text of a program.
std::string plain(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
  return name;
}

// Where a symbol was seen: how to compute it, and in which words to speak of it.
struct Seen {
  std::string value, words;
};

class Guards {
 public:
  std::vector<SizeGuard> out;

  void addInput(const std::string& name, std::size_t place, const Json& sizes) {
    const auto v = "v" + std::to_string(place);
    if (sizes.size() > kMostDimensions)
      throw Error("", "is damaged: " + plain(name) + " has too many dimensions");
    std::string words, fixed = v + ".dim() == " + std::to_string(sizes.size());
    std::vector<SizeGuard> others;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const auto size = sizeOf(sizes[d]);
      words += (d ? " × " : "") + wordsOf(size);
      if (!size) continue;
      const auto asked = v + ".size(" + std::to_string(d) + ")";
      if (size->symbol.empty()) fixed += " and " + asked + " == " + std::to_string(size->factor);
      else addSymbol(*size, asked, "dimension " + std::to_string(d) + " of " + plain(name), others);
    }
    out.push_back({plain(name) + ": " + (sizes.empty() ? "one number" : words), fixed});
    out.insert(out.end(), others.begin(), others.end());
  }

  // A number that is an input by itself.
  void addNumber(const std::string& name, std::size_t place, const Json& number) {
    const auto size = sizeOf(number);
    if (size && !size->symbol.empty()) addSymbol(*size, "v" + std::to_string(place), plain(name), out);
  }

  // torch itself takes 0 and 1 where it says that 2 is the least.
  void addBounds(const Json& ranges) {
    constexpr std::int64_t kLeastThatIsMeant = 2;
    for (auto& [symbol, seen] : seen_) {
      auto range = ranges.find(symbol);
      if (range == ranges.end()) continue;
      auto bound = [&](const char* key) {
        auto b = range->find(key);
        return b != range->end() && b->is_number_integer() ? std::optional(b->get<std::int64_t>())
                                                           : std::nullopt;
      };
      if (auto least = bound("min_val"); least && *least > kLeastThatIsMeant)
        out.push_back({seen.words + ": at least " + std::to_string(*least),
                       seen.value + " >= " + std::to_string(*least)});
      if (auto most = bound("max_val"))
        out.push_back(
            {seen.words + ": at most " + std::to_string(*most), seen.value + " <= " + std::to_string(*most)});
    }
  }

 private:
  void addSymbol(const Size& size, const std::string& asked, const std::string& words,
                 std::vector<SizeGuard>& to) {
    const auto factor = std::to_string(size.factor), more = std::to_string(size.more);
    const auto value = size.factor > 1  ? "(" + asked + " // " + factor + ")"
                       : size.more != 0 ? "(" + asked + " - (" + more + "))"
                                        : asked;
    const bool isPlain = value == asked;
    auto [first, isNew] =
        seen_.emplace(size.symbol, Seen{value, (isPlain ? "" : size.symbol + " in ") + words});
    if (!isNew)
      to.push_back({words + ": " + size.symbol + " as in " + first->second.words,
                    value + " == " + first->second.value});
  }

  std::map<std::string, Seen> seen_;
};

}  // namespace

std::vector<SizeGuard> sizeGuardsOf(const Json& exported, const std::vector<std::string>& inputs) {
  const auto& graph = exported.at("graph_module").at("graph");
  const auto &tensors = graph.at("tensor_values"), numbers = graph.value("sym_int_values", Json::object());
  Guards guards;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (auto t = tensors.find(inputs[i]); t != tensors.end())
      guards.addInput(inputs[i], i + 1, t->at("sizes"));
    else if (auto n = numbers.find(inputs[i]); n != numbers.end()) guards.addNumber(inputs[i], i + 1, *n);
  }
  if (auto ranges = exported.find("range_constraints"); ranges != exported.end()) guards.addBounds(*ranges);
  return guards.out;
}

std::vector<std::string> insertSizeGuards(jit::Graph& graph, const std::vector<SizeGuard>& guards) {
  if (guards.empty()) return {};
  std::string parameters, body;
  std::vector<jit::Value*> given;
  for (std::size_t i = 1; i < graph.inputs().size(); ++i) {
    const bool isNumber = graph.inputs()[i]->type()->kind() == c10::TypeKind::IntType;
    if (!isTensor(graph.inputs()[i]) && !isNumber) continue;
    parameters += (given.empty() ? "v" : ", v") + std::to_string(i) + (isNumber ? ": int" : ": Tensor");
    given.push_back(graph.inputs()[i]);
  }
  std::vector<std::string> facts;
  for (auto& g : guards) {
    facts.push_back(g.fact + " as it was exported");
    body += "  assert " + g.condition + ", \"" + kSpecialisedTo + facts.back() + "\"\n";
  }
  auto unit = scriptUnit("def check(" + parameters + "):\n" + body);
  jit::WithInsertPoint here(*graph.nodes().begin());
  jit::insertGraph(graph, *graphOfFunction(*unit, "check"), given);
  return facts;
}

}  // namespace kadvise::graph
