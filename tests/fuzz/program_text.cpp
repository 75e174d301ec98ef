#include "tests/fuzz/program_text.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "tests/fuzz/lines.h"
#include "tests/fuzz/program_words.h"

namespace kadvise::fuzz {
namespace {

std::size_t indentOf(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

bool isReturn(const std::string& line) { return line.compare(indentOf(line), 7, "return ") == 0; }

// Names that hold something before line `end`: parameters, and what was assigned.
std::vector<std::string> namesBefore(const Lines& lines, std::size_t end) {
  auto names = parametersIn(textOf(lines));
  static const std::regex assignment(R"(^\s*([A-Za-z_]\w*(?:, [A-Za-z_]\w*)*) = )");
  for (std::size_t i = 1; i < std::min(end, lines.size()); ++i) {
    std::smatch found;
    if (!std::regex_search(lines[i], found, assignment)) continue;
    std::istringstream left(found[1].str());
    for (std::string name; std::getline(left >> std::ws, name, ',');) names.push_back(name);
  }
  return names;
}

struct Span {
  std::size_t at, length;
};

std::vector<Span> spansOf(const std::string& text, const std::string& pattern) {
  static std::vector<std::pair<std::string, std::regex>> known;
  auto entry = std::find_if(known.begin(), known.end(), [&](auto& k) { return k.first == pattern; });
  if (entry == known.end()) entry = known.emplace(known.end(), pattern, std::regex(pattern));
  std::vector<Span> out;
  for (std::sregex_iterator it(text.begin(), text.end(), entry->second), end; it != end; ++it)
    out.push_back({static_cast<std::size_t>(it->position(1)), static_cast<std::size_t>(it->length(1))});
  return out;
}

std::string with(const std::string& text, const Span& span, const std::string& by) {
  return text.substr(0, span.at) + by + text.substr(span.at + span.length);
}

std::string newName(Random& random) { return "v" + std::to_string(random.below(1000)); }

std::size_t bodyLine(const Lines& lines, Random& random) {
  return lines.size() < 2 ? 0 : 1 + random.below(lines.size() - 1);
}

// ---- the mutations

std::string swapWord(const std::string& text, Random& random) {
  struct Place {
    Span span;
    std::vector<std::string> row;
  };
  std::vector<Place> places;
  for (auto& words : kSwaps) {
    std::vector<std::string> row(words, std::find(std::begin(words), std::end(words), nullptr));
    for (auto& word : row)
      for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        places.push_back({{at, word.size()}, row});
  }
  if (places.empty()) return text;
  auto& place = random.of(places);
  return with(text, place.span, random.of(place.row));
}

std::string changeInteger(const std::string& text, Random& random) {
  auto spans = spansOf(text, R"([(\[, ](-?\d+)(?=[)\], :]))");
  return spans.empty() ? text : with(text, random.of(spans), random.of(kNumbers));
}

std::string changeReal(const std::string& text, Random& random) {
  auto spans = spansOf(text, R"([(\[, ](-?\d+\.\d*(?:e-?\d+)?|\d+e-?\d+))");
  return spans.empty() ? text : with(text, random.of(spans), random.of(kReals));
}

std::string changeName(const std::string& text, Random& random) {
  auto lines = linesOf(text);
  auto i = bodyLine(lines, random);
  if (i == 0) return text;
  auto names = namesBefore(lines, i);
  auto spans = spansOf(lines[i], R"([(\[, ]([A-Za-z_]\w*)(?=[)\], .]|$))");
  if (spans.empty() || names.empty()) return text;
  lines[i] = with(lines[i], random.of(spans), random.of(names));
  return textOf(lines);
}

// (a, b) -> (b, a) of names and numbers; a + b -> b + a of names.
std::string swapOperands(const std::string& text, Random& random) {
  static const std::regex pair(R"(([A-Za-z_0-9.]+)(, | \+ | - | \* | / )([A-Za-z_0-9.]+))");
  std::vector<std::smatch> found;
  auto body = text.find('\n');
  if (body == std::string::npos) return text;
  for (std::sregex_iterator it(text.begin() + static_cast<std::ptrdiff_t>(body), text.end(), pair), end;
       it != end; ++it)
    found.push_back(*it);
  if (found.empty()) return text;
  auto& m = random.of(found);
  return with(text, {body + static_cast<std::size_t>(m.position(0)), static_cast<std::size_t>(m.length(0))},
              m[3].str() + m[2].str() + m[1].str());
}

std::string insertStatement(const std::string& text, Random& random) {
  auto lines = linesOf(text);
  auto i = bodyLine(lines, random);
  if (i == 0) return text;
  auto names = namesBefore(lines, i);
  if (names.empty()) return text;
  std::string statement = random.of(kStatements);
  statement = replaced(statement, "{a}", random.of(names));
  statement = replaced(statement, "{b}", random.of(names));
  statement = replaced(statement, "{n}", random.oneIn(3) ? random.of(names) : newName(random));
  Lines more = linesOf(statement);
  for (auto& l : more) l.insert(0, indentOf(lines[i]), ' ');
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i), more.begin(), more.end());
  return textOf(lines);
}

std::string deleteLine(const std::string& text, Random& random) {
  auto lines = linesOf(text);
  auto i = bodyLine(lines, random);
  if (i == 0 || isReturn(lines[i])) return text;
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(i));
  return textOf(lines);
}

std::string repeatLine(const std::string& text, Random& random) {
  auto lines = linesOf(text);
  auto i = bodyLine(lines, random);
  if (i == 0 || isReturn(lines[i])) return text;
  std::string line = lines[i];
  auto to = i + 1 + random.below(lines.size() - i);
  if (to == lines.size()) --to;  // the return stays the last
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to), line);
  return textOf(lines);
}

// torch.f(…) inside a longer expression gets a name of its own, which later mutations may read or write.
std::string nameExpression(const std::string& text, Random& random) {
  auto lines = linesOf(text);
  auto i = bodyLine(lines, random);
  if (i == 0) return text;
  auto spans = spansOf(lines[i], R"([(\[, ](torch\.\w+\())");
  if (spans.empty()) return text;
  auto span = random.of(spans);
  int depth = 0;
  std::size_t end = span.at + span.length - 1;
  for (; end < lines[i].size(); ++end) {
    if (lines[i][end] == '(') ++depth;
    if (lines[i][end] == ')' && --depth == 0) break;
  }
  if (end == lines[i].size()) return text;
  span.length = end + 1 - span.at;
  std::string name = newName(random), expression = lines[i].substr(span.at, span.length);
  std::string definition = std::string(indentOf(lines[i]), ' ') + name + " = " + expression;
  lines[i] = with(lines[i], span, name);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(i), definition);
  return textOf(lines);
}

std::string moreResults(const std::string& text, Random& random) {
  auto lines = linesOf(text);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (!isReturn(lines[i])) continue;
    auto names = namesBefore(lines, i);
    if (names.empty()) return text;
    lines[i] += ", " + (random.oneIn(3) ? lines[i].substr(indentOf(lines[i]) + 7) : random.of(names));
    return textOf(lines);
  }
  return text;
}

// if size: … around one line; what it assigns is assigned before, too.
std::string intoBranch(const std::string& text, Random& random) {
  auto lines = linesOf(text);
  auto i = bodyLine(lines, random);
  auto names = i ? namesBefore(lines, i) : std::vector<std::string>();
  if (i == 0 || isReturn(lines[i]) || names.empty()) return text;
  std::string indent(indentOf(lines[i]), ' '), line = lines[i];
  lines[i] = indent + "if " + random.of(names) + ".size(0) > 0:\n" + "    " + line;
  if (random.oneIn(2)) lines[i] += "\n" + indent + "else:\n    " + line;
  else lines[i] = line + "\n" + lines[i];
  return textOf(lines);
}

struct Mutation {
  const char* name;
  std::string (*apply)(const std::string&, Random&);
  int weight;
};
constexpr Mutation kMutations[] = {
    {"swap a word", swapWord, 4},
    {"integer", changeInteger, 3},
    {"real", changeReal, 2},
    {"name", changeName, 4},
    {"operands", swapOperands, 4},
    {"statement", insertStatement, 8},
    {"delete a line", deleteLine, 1},
    {"repeat a line", repeatLine, 2},
    {"name an expression", nameExpression, 4},
    {"more results", moreResults, 3},
    {"into a branch", intoBranch, 2},
};

}  // namespace

std::vector<std::string> parametersIn(const std::string& text) {
  auto open = text.find('('), close = text.find("):");
  std::vector<std::string> out;
  if (open == std::string::npos || close == std::string::npos || close < open) return out;
  int depth = 0;
  bool inName = true;
  std::string name;
  for (std::size_t i = open + 1; i <= close; ++i) {
    char c = text[i];
    depth += (c == '[') - (c == ']');
    bool ends = i == close || (c == ',' && depth == 0);
    if (ends && !name.empty() && name != "self") out.push_back(name);
    if (ends) name.clear(), inName = true;
    else if (c == ':' || c == '=') inName = false;
    else if (inName && c != ' ') name += c;
  }
  return out;
}

std::string mutateProgram(const std::string& text, Random& random) {
  // std::regex calls itself for each character of a word.
  constexpr std::size_t kLongestLine = 2000;
  auto lines = linesOf(text);
  if (std::any_of(lines.begin(), lines.end(), [](auto& line) { return line.size() > kLongestLine; }))
    return text;
  int total = 0;
  for (auto& m : kMutations) total += m.weight;
  int pick = static_cast<int>(random.below(static_cast<std::size_t>(total)));
  for (auto& m : kMutations)
    if ((pick -= m.weight) < 0) return m.apply(text, random);
  return text;
}

std::string randomProgram(const std::vector<std::string>& tensors, Random& random) {
  std::string header;
  for (auto& t : tensors) header += (header.empty() ? "" : ", ") + t;
  std::string text = "def f(" + header + "):\n    return " + random.of(tensors) + "\n";
  auto statements = 3 + random.below(8);
  for (std::size_t i = 0; i < statements; ++i) {
    text = insertStatement(text, random);
    if (random.oneIn(3)) text = moreResults(text, random);
  }
  return text;
}

}  // namespace kadvise::fuzz
