#include "analyzer/source/suppressions.h"

#include <algorithm>
#include <climits>
#include <sstream>

#include "analyzer/core/configuration.h"
#include "analyzer/core/glob.h"
#include "analyzer/core/unused_suppression.h"
#include "analyzer/source/clang.h"

namespace kadvise::source {
namespace {

// "[a, b]" or "(a, b)" at the place, or a rule without brackets; {""} where there is none: all rules.
std::vector<std::string> listAt(const std::string& text, std::size_t at, char open, char close) {
  at = std::min(text.find_first_not_of(' ', at), text.size());
  if (at >= text.size() || text[at] != open) {
    std::string word = text.substr(at, text.find_first_of(" \t\r\n,:;", at) - at);
    bool isRule = open == '[' && word.find('/') != std::string::npos &&
                  std::isalpha(static_cast<unsigned char>(word.front()));
    return {isRule ? word : ""};
  }
  std::vector<std::string> out;
  std::string item;
  for (++at; at < text.size() && text[at] != close; ++at) {
    bool separates = text[at] == ',' || std::isspace(static_cast<unsigned char>(text[at]));
    if (separates) out.push_back(item), item.clear();
    else item += text[at];
  }
  out.push_back(item);
  std::erase(out, "");
  return out;
}

// Whether a NOLINT's name is about us: "cuda/uncoalesced-access", "cuda", "kadvise", "kadvise-*".
bool speaksOfUs(const std::string& name) {
  return name.find('/') != std::string::npos || name.rfind("kadvise", 0) == 0;
}

bool matches(const std::string& selector, const std::string& rule) {
  if (selector.empty() || selectorCovers(selector, rule) || pathMatches(selector, rule)) return true;
  return selector == "kadvise" || selector == "kadvise-*" || selector == "*" || selector == "kadvise-" + rule;
}

// By its name or its category: a comment about all rules does not excuse itself.
bool namesUnused(const std::string& selector) {
  return selectorCovers(selector, kUnusedSuppression) ||
         selector == std::string("kadvise-") + kUnusedSuppression;
}

}  // namespace

Suppressions Suppressions::read(const std::string& text) {
  Suppressions out;
  if (text.find("kadvise:") == std::string::npos && text.find("NOLINT") == std::string::npos) return out;
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus17 = language.LineComment = true;
  clang::Lexer lexer(clang::SourceLocation(), language, text.data(), text.data(), text.data() + text.size());
  lexer.SetCommentRetentionState(true);
  int line = 1;
  const char* counted = text.data();
  int lineOfCode = 0;  // where code was last seen
  clang::Token token;
  for (bool end = false; !end;) {
    end = lexer.LexFromRawLexer(token);
    const char* at = lexer.getBufferLocation() - token.getLength();
    if (at > counted) line += static_cast<int>(std::count(counted, at, '\n')), counted = at;
    if (!token.is(clang::tok::comment)) {
      out.takeCode(line);
      lineOfCode = line;
      continue;
    }
    bool standsAlone = lineOfCode != line;
    out.take(std::string(at, token.getLength()), line, standsAlone);
  }
  out.dropOpenBlocks();
  return out;
}

void Suppressions::take(const std::string& comment, int line, bool standsAlone) {
  takeOwn(comment, line, standsAlone);
  takeNolint(comment, line);
}

// "/* kadvise: ignore[…] */ code;" is about the code.
void Suppressions::takeCode(int line) {
  for (auto i : ahead_)
    if (entries_[i].first == line + 1) entries_[i].first = entries_[i].last = line;
  ahead_.clear();
}

void Suppressions::takeOwn(const std::string& comment, int line, bool standsAlone) {
  auto at = comment.find("kadvise:");
  if (at == std::string::npos) return;
  at = comment.find_first_not_of(' ', at + 8);
  if (at == std::string::npos) return;
  bool wholeFile = comment.compare(at, 11, "ignore-file") == 0;
  if (!wholeFile && comment.compare(at, 6, "ignore") != 0) return;
  at += wholeFile ? 11 : 6;
  bool isLonger = at < comment.size() && (std::isalnum(static_cast<unsigned char>(comment[at])) ||
                                          comment[at] == '-' || comment[at] == '_');
  if (isLonger) return;  // "ignored by hand"
  int about =
      line + (standsAlone ? 1 + static_cast<int>(std::count(comment.begin(), comment.end(), '\n')) : 0);
  for (auto& selector : listAt(comment, at, '[', ']')) {
    if (standsAlone && !wholeFile) ahead_.push_back(entries_.size());
    entries_.push_back({line, wholeFile ? 1 : about, wholeFile ? INT_MAX : about, selector});
  }
}

void Suppressions::takeNolint(const std::string& comment, int line) {
  auto at = comment.find("NOLINT");
  if (at == std::string::npos) return;
  at += 6;
  auto is = [&](const char* word) { return comment.compare(at, std::string(word).size(), word) == 0; };
  int first = line, last = line;
  bool opens = is("BEGIN"), closes = is("END");
  if (is("NEXTLINE")) first = last = line + 1, at += 8;
  else if (opens) at += 5, last = INT_MAX;
  else if (closes) at += 3;
  if (closes) return closeBlocks(listAt(comment, at, '(', ')'), line);
  for (auto& selector : listAt(comment, at, '(', ')')) {
    if (opens) openBlocks_.push_back(entries_.size());
    entries_.push_back({line, first, last, selector, !speaksOfUs(selector), /*isNolint=*/true});
  }
}

// An end is that of the blocks that name the same.
void Suppressions::closeBlocks(const std::vector<std::string>& selectors, int line) {
  std::erase_if(openBlocks_, [&](std::size_t i) {
    bool isNamed = std::find(selectors.begin(), selectors.end(), entries_[i].selector) != selectors.end();
    if (isNamed) entries_[i].last = line;
    return isNamed;
  });
}

// Without an end a block would hide all that follows, today's code and tomorrow's.
void Suppressions::dropOpenBlocks() {
  for (auto i : openBlocks_) entries_[i].last = 0, entries_[i].isUnclosed = true;
  openBlocks_.clear();
}

bool Suppressions::covers(const std::string& rule, int line) {
  bool out = false;
  for (auto& e : entries_)
    if (e.first <= line && line <= e.last && matches(e.selector, rule)) out = e.isUsed = true;
  return out;
}

int Suppressions::used() const {
  return static_cast<int>(std::count_if(entries_.begin(), entries_.end(), [](auto& e) { return e.isUsed; }));
}

bool Suppressions::isKeptQuiet(const Entry& unused) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](auto& e) {
    bool isBeside = e.line == unused.line || (e.first <= unused.line && unused.line <= e.last);
    return namesUnused(e.selector) && isBeside && !e.isUnclosed;
  });
}

std::vector<Suppressions::Unused> Suppressions::unused(const std::vector<std::string>& ran) const {
  std::vector<Unused> out;
  for (auto& e : entries_) {
    bool isOurs = !e.isForeign || (e.isUnclosed && e.selector.empty());
    if (e.isUsed || !isOurs || isKeptQuiet(e)) continue;
    auto covered =
        std::count_if(ran.begin(), ran.end(), [&](auto& rule) { return matches(e.selector, rule); });
    if (covered > 0 || !e.isNolint)
      out.push_back({e.line, e.selector, static_cast<int>(covered), e.isUnclosed});
  }
  return out;
}

}  // namespace kadvise::source
