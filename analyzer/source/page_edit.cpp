#include "analyzer/source/page_edit.h"

#include <clang/Tooling/Transformer/SourceCodeBuilders.h>

#include <cctype>
#include <sstream>

#include "analyzer/core/error.h"
#include "analyzer/core/utf8.h"
#include "analyzer/source/place.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kBriefBytes = 48;
constexpr std::string_view kAsFloat = ":float";

std::string trim(const std::string& s) {
  auto a = s.find_first_not_of(" \t\r"), b = s.find_last_not_of(" \t\r");
  return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}

// \n and \t, so that an edit fits into its line; quotes around all of it keep spaces at its ends.
std::string unescaped(std::string s) {
  if (s.size() > 1 && s.front() == '"' && s.back() == '"') s = s.substr(1, s.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    bool escapes = s[i] == '\\' && i + 1 < s.size() && (s[i + 1] == 'n' || s[i + 1] == 't');
    out += !escapes ? s[i] : s[i + 1] == 'n' ? '\n' : '\t';
    if (escapes) ++i;
  }
  return out;
}

std::string textOf(const Unit& unit, const clang::DynTypedNode& node, bool parenthesize) {
  std::string text = source::textOf(unit, node.getSourceRange());
  auto* e = node.get<clang::Expr>();
  bool needs = parenthesize && e && clang::tooling::mayEverNeedParens(*e);
  return needs && !text.empty() ? "(" + text + ")" : text;
}

// Written as a float: none where no normal float is near (1e39, 1e-42), or where the text is no number but
// the name of one: "SCALE" with an f behind it is another name.
std::optional<std::string> asFloat(const clang::DynTypedNode& node, const std::string& written) {
  auto* literal = node.get<clang::FloatingLiteral>();
  if (!literal || !(std::isdigit(static_cast<unsigned char>(written[0])) || written[0] == '.'))
    return std::nullopt;
  llvm::APFloat value = literal->getValue();
  bool losesDigits = false;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &losesDigits);
  bool isFloat = value.isNormal() || literal->getValue().isZero();
  return isFloat ? std::optional(written + "f") : std::nullopt;
}

}  // namespace

PageFix parsePageFix(const RulePage& page, const Fence& fence) {
  PageFix out{editInfo(page, fence), {}};
  std::istringstream lines(fence.text);
  std::string line;
  for (int number = fence.line; std::getline(lines, line); ++number) {
    if (trim(line).empty()) continue;
    std::string where = page.path + ":" + std::to_string(number);
    auto arrow = line.find("=>");
    if (arrow == std::string::npos) throw Error(where, "an edit is written as SELECTOR => TEXT");
    auto selector = clang::transformer::parseRangeSelector(trim(line.substr(0, arrow)));
    if (!selector) throw Error(where, llvm::toString(selector.takeError()));
    out.edits.push_back({*selector, unescaped(trim(line.substr(arrow + 2)))});
  }
  if (out.edits.empty())
    throw Error(page.path + ":" + std::to_string(fence.line), "this edit changes nothing");
  return out;
}

std::optional<Fix> fixAt(const Unit& unit, const PageFix& fix,
                         const clang::ast_matchers::MatchFinder::MatchResult& match) {
  std::vector<Edit> edits;
  for (auto& e : fix.edits) {
    auto range = e.target(match);
    if (!range) {
      llvm::consumeError(range.takeError());
      return std::nullopt;
    }
    auto text = expand(unit, e.text, match.Nodes);
    auto edit = text ? editOf(unit, *range, *text) : std::nullopt;
    if (!edit) return std::nullopt;
    edits.push_back(std::move(*edit));
  }
  return Fix{fix.info.title, fix.info.safety, std::move(edits)};
}

std::optional<std::string> expand(const Unit& unit, const std::string& text, const Nodes& nodes) {
  std::string out;
  std::size_t at = 0;
  for (auto open = text.find("${"); open != std::string::npos; open = text.find("${", at)) {
    auto close = text.find('}', open);
    if (close == std::string::npos) break;
    out += text.substr(at, open - at);
    std::string name = text.substr(open + 2, close - open - 2);
    bool parenthesize = name.size() > 2 && name.front() == '(' && name.back() == ')';
    if (parenthesize) name = name.substr(1, name.size() - 2);
    bool isForFloats = name.ends_with(kAsFloat);
    if (isForFloats) name.resize(name.size() - kAsFloat.size());
    auto bound = nodes.getMap().find(name);
    if (bound == nodes.getMap().end()) return std::nullopt;
    std::string written = textOf(unit, bound->second, parenthesize);
    if (auto* named = bound->second.get<clang::NamedDecl>()) written = named->getNameAsString();
    if (written.empty()) return std::nullopt;
    if (isForFloats) {
      auto made = asFloat(bound->second, written);
      if (!made) return std::nullopt;
      written = *made;
    }
    out += written;
    at = close + 1;
  }
  return out + text.substr(at);
}

std::string brief(const std::string& code) {
  std::string out;
  for (unsigned char c : code) {
    bool space = std::isspace(c);
    if (!space) out += static_cast<char>(c);
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return out.size() <= kBriefBytes ? out : std::string(headOf(out, kBriefBytes)) + "…";
}

}  // namespace kadvise::source
