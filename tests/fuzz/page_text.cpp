#include "tests/fuzz/page_text.h"

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "tests/fuzz/lines.h"
#include "tests/fuzz/program_text.h"

namespace kadvise::fuzz {
namespace {

using OrderedJson = nlohmann::ordered_json;

bool isFence(const std::string& line) { return line.rfind("```", 0) == 0; }

// ---- mutations of bytes

std::string flipByte(std::string text, Random& random) {
  if (!text.empty()) text[random.below(text.size())] = static_cast<char>(random.below(256));
  return text;
}

std::string cut(std::string text, Random& random) {
  auto at = random.below(text.size());
  return random.oneIn(4) ? text.substr(0, at) : text.erase(at, 1 + random.below(40));
}

std::string repeat(std::string text, Random& random) {
  auto at = random.below(text.size());
  return text.insert(at, text.substr(at, 1 + random.below(60)));
}

std::string manyOfOne(std::string text, Random& random) {
  constexpr const char* kNested[] = {"(", "[",  "{",       "-",     "not ", "    ", "\"",
                                     "1", "x.", "if x:\n", "```\n", "\\",   "# "};
  std::string piece = random.of(kNested), run;
  for (std::size_t i = 0, n = random.oneIn(4) ? 20000 : 50; i < n; ++i) run += piece;
  return text.insert(random.below(text.size()), run);
}

// ---- mutations of lines and fences

std::string changeFence(std::string text, Random& random) {
  auto lines = linesOf(text);
  Lines::difference_type fences = std::count_if(lines.begin(), lines.end(), isFence);
  if (fences == 0) return text;
  auto wanted = random.below(static_cast<std::size_t>(fences));
  auto line = std::find_if(lines.begin(), lines.end(), [&](auto& l) { return isFence(l) && wanted-- == 0; });
  constexpr const char* kOpenings[] = {"```python match",
                                       "```python when",
                                       "```python replace",
                                       "```python fires",
                                       "```python silent",
                                       "```json rule",
                                       "```python replace {level=5 exactness=exact}",
                                       "```python replace {level=\"",
                                       "```text matcher",
                                       "```",
                                       "```cpp fires"};
  switch (random.below(3)) {
    case 0:
      lines.erase(line);
      break;
    case 1:
      lines.insert(line, std::string(*line));
      break;
    default:
      *line = random.of(kOpenings);
  }
  return textOf(lines);
}

std::string swapLines(std::string text, Random& random) {
  auto lines = linesOf(text);
  if (lines.size() > 1) std::swap(lines[random.below(lines.size())], lines[random.below(lines.size())]);
  return textOf(lines);
}

std::string repeatFence(std::string text, Random& random) {
  auto lines = linesOf(text);
  std::vector<std::size_t> marks;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (isFence(lines[i])) marks.push_back(i);
  if (marks.size() < 2) return text;
  auto from = random.below(marks.size() / 2) * 2;
  Lines block(lines.begin() + static_cast<std::ptrdiff_t>(marks[from]),
              lines.begin() + static_cast<std::ptrdiff_t>(marks[from + 1]) + 1);
  auto to = marks[random.below(marks.size() / 2) * 2];
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to), block.begin(), block.end());
  return textOf(lines);
}

// ---- mutations of the header and of programs

struct Block {
  std::size_t first, last;  // lines inside
};

std::vector<Block> blocksOf(const Lines& lines, const std::string& language) {
  std::vector<Block> out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].rfind("```" + language + " ", 0) != 0) continue;
    auto end = i + 1;
    while (end < lines.size() && !isFence(lines[end])) ++end;
    out.push_back({i + 1, end});
    i = end;
  }
  return out;
}

std::string changeBlock(const std::string& text, const std::string& language, Random& random,
                        const std::function<std::string(const std::string&)>& change) {
  auto lines = linesOf(text);
  auto blocks = blocksOf(lines, language);
  if (blocks.empty()) return text;
  auto block = random.of(blocks);
  auto at = [&](std::size_t i) { return lines.begin() + static_cast<std::ptrdiff_t>(i); };
  auto changed = linesOf(change(textOf(Lines(at(block.first), at(block.last)))));
  lines.erase(at(block.first), at(block.last));
  lines.insert(at(block.first), changed.begin(), changed.end());
  return textOf(lines);
}

void collect(OrderedJson& json, std::vector<OrderedJson*>& out) {
  out.push_back(&json);
  if (json.is_structured())
    for (auto& inner : json) collect(inner, out);
}

// One value of the header is another one, a value of another type, or gone.
std::string changeHeader(std::string text, Random& random) {
  return changeBlock(text, "json", random, [&](const std::string& block) {
    constexpr const char* kValues[] = {"null",
                                       "true",
                                       "-1",
                                       "1e999",
                                       "99999999999999999999",
                                       "\"\"",
                                       "\"float[2,3]\"",
                                       "\"float[99999999,99999999]\"",
                                       "\"weight float[0,9223372036854775807]\"",
                                       "\"int64[2]<0\"",
                                       "[]",
                                       "{}",
                                       "[[[[]]]]",
                                       "\"sibling-linears\"",
                                       "\"graph-break\"",
                                       "\"inf\"",
                                       "[{\"op\": \"aten::add\"}]",
                                       "{\"x\": null}",
                                       "\"\\u0000\""};
    auto json = OrderedJson::parse(block, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded() || json.empty()) return block;
    std::vector<OrderedJson*> all;
    collect(json, all);
    auto& place = *all[random.below(all.size())];
    if (random.oneIn(4) && json.is_object()) {
      auto key = std::next(json.begin(), static_cast<std::ptrdiff_t>(random.below(json.size()))).key();
      if (random.oneIn(2)) json[key + "s"] = json[key];
      json.erase(key);
    } else if (random.oneIn(2)) {
      place = OrderedJson(*all[random.below(all.size())]);
    } else {
      place = OrderedJson::parse(random.of(kValues), nullptr, false);
    }
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  });
}

std::string changeProgram(std::string text, Random& random) {
  return changeBlock(text, "python", random, [&](const std::string& block) {
    std::string changed = block;
    for (auto n = 1 + random.below(3); n > 0; --n) changed = mutateProgram(changed, random);
    return changed;
  });
}

// The parameters of one block: a type, a default, another order.
std::string changeSignature(std::string text, Random& random) {
  return changeBlock(text, "python", random, [&](const std::string& block) {
    constexpr const char* kAnnotations[] = {": int",
                                            ": float",
                                            ": bool",
                                            ": Optional[Tensor]",
                                            ": List[int]",
                                            ": str",
                                            ": Tensor",
                                            " = 1",
                                            " = None",
                                            ": Dict[str, Tensor]",
                                            ": Any",
                                            ": Nothing",
                                            ": Tuple[int, Tensor]",
                                            ": Optional[bool]",
                                            ": List[Tensor]",
                                            ", *",
                                            ", **k"};
    auto names = parametersIn(block);
    if (names.empty()) return block;
    auto name = random.of(names);
    auto at = block.find(name, block.find('('));
    if (at == std::string::npos) return block;
    return std::string(block).insert(at + name.size(), random.of(kAnnotations));
  });
}

struct Mutation {
  const char* name;
  std::string (*apply)(std::string, Random&);
};
constexpr Mutation kMutations[] = {
    {"a byte", flipByte},
    {"cut", cut},
    {"repeat", repeat},
    {"many of one", manyOfOne},
    {"a fence", changeFence},
    {"lines", swapLines},
    {"repeat a fence", repeatFence},
    {"the header", changeHeader},
    {"the header", changeHeader},
    {"program", changeProgram},
    {"program", changeProgram},
    {"program", changeProgram},
    {"signature", changeSignature},
};

}  // namespace

std::string mutatePage(const std::string& text, Random& random) {
  return text.empty() ? text : random.of(kMutations).apply(text, random);
}

}  // namespace kadvise::fuzz
