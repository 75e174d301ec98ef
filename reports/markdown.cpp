#include "reports/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "reports/grouping.h"
#include "reports/headline.h"
#include "reports/layout.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

constexpr int kUnwrapped = 100'000;  // columns

std::string join(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (auto& c : cells) out += " " + c + " |";
  return out + "\n";
}

// What was measured to be faster, at one glance.
std::string adviceTable(const Report& r) {
  std::string out;
  for (auto& item : groupedAdvice(r)) {
    auto& a = item.advice;
    if (a.standing != Standing::Advised || !a.verdict) continue;
    bool isFaster = a.verdict->outcome == Outcome::Faster && isCredible(r, a.verdict->speedup);
    if (out.empty())
      out = join({"", "what to change", "rule", "sites", "saves a call", "in its region"}) +
            "|-:|---|---|-:|-:|-:|\n";
    out += join({std::to_string(a.number),
                 escapedForMarkdown(a.finding ? a.finding->message : a.candidate->title),
                 escapedForMarkdown(a.candidate->rule), std::to_string(a.sitesApplied),
                 isFaster ? formatUs(a.savedUs) : "-",
                 isCredible(r, a.verdict->speedup) ? speedupWords(a.verdict->speedup) : "-"});
  }
  return out.empty() ? "" : out + "\n";
}

// A fence longer than any run of backticks in the text.
std::string fenced(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  std::string fence(longest + 1, '`');
  return fence + "text\n" + text + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

bool isNumbered(std::string_view text) {
  auto at = text.find_first_not_of(' ');
  auto end = text.find_first_not_of("0123456789", at);
  return at != std::string_view::npos && end != at && end != std::string_view::npos &&
         text.substr(end, 2) == ". ";
}

// Items are bold, what stands below them is a list.
std::string paragraphOf(const Block& b) {
  std::string text = b.text.substr(std::min(b.text.find_first_not_of(' '), b.text.size()));
  if (b.ink == Ink::Dim) return "\n*" + escapedForMarkdown(text) + "*\n\n";
  constexpr std::string_view kCommand = "all of them: ";  // is copied, so it stands as it is
  if (text.starts_with(kCommand)) return "\nAll of them:\n\n" + fenced(text.substr(kCommand.size()));
  if (isNumbered(text)) return "\n**" + escapedForMarkdown(text) + "**\n\n";
  if (text.starts_with("- ")) return "- " + escapedForMarkdown(text.substr(2)) + "\n";
  return (b.indent > 2 ? "  - " : "- ") + escapedForMarkdown(text) + "\n";
}

std::string sectionText(const TextSection& section) {
  std::string out;
  for (std::size_t i = 0; i < section.blocks.size(); ++i) {
    auto& b = section.blocks[i];
    if (b.kind == Block::Kind::Heading) out += "\n### " + escapedForMarkdown(b.text) + "\n\n";
    else if (b.kind == Block::Kind::Paragraph) out += paragraphOf(b);
    else {
      std::string lines = b.text;
      while (i + 1 < section.blocks.size() && section.blocks[i + 1].kind == Block::Kind::Verbatim)
        lines += (lines.ends_with('\n') ? "" : "\n") + section.blocks[++i].text;
      out += "\n" + fenced(lines) + "\n";
    }
  }
  return out;
}

const char* markOf(Ink ink) {
  if (ink == Ink::Good) return "✅ ";
  return ink == Ink::Bad ? "❌ " : "";
}

bool isShownFirst(const std::string& id) {
  constexpr const char* kFirst[] = {"comparison", "errors", "advice", "proposals", "cuda-graphs"};
  return std::any_of(std::begin(kFirst), std::end(kFirst), [&](auto* first) { return id == first; });
}

// The whole report of a command that optimises nothing.
bool isOwn(const std::string& id) { return id == "pair" || id == "component"; }

// The verdict as a heading and what stands below it.
std::string verdictText(const Report& r, const TextSection& verdict) {
  Headline head = headline(r);
  std::string out = fmt::format("## {}{}\n\n", markOf(head.ink), escapedForMarkdown(head.text));
  for (auto& b : verdict.blocks)
    if (b.text != head.text) out += paragraphOf(b);
  return out + "\n" + adviceTable(r);
}

// The sentence that the run comes to as a heading, and the rest below it.
std::string headedText(const Headline& head, TextSection section) {
  auto said = std::find_if(section.blocks.begin(), section.blocks.end(),
                           [&](auto& b) { return !head.text.empty() && b.text == head.text; });
  if (said == section.blocks.end()) return sectionText(section);
  section.blocks.erase(said);
  return fmt::format("## {}{}\n\n", markOf(head.ink), escapedForMarkdown(head.text)) + sectionText(section);
}

}  // namespace

std::string escapedForMarkdown(const std::string& text) {
  constexpr std::string_view kSpecial = "\\`*_{}[]()#|<>~!@&$";
  std::string out;
  for (char c : printable(text)) {
    bool isLine = c == '\n' || c == '\r';
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '@') out += "&#64;";  // mentions nobody
    else if (kSpecial.find(c) != std::string_view::npos && c != '(' && c != ')' && c != '!')
      (out += '\\') += c;
    else out += isLine ? ' ' : c;
  }
  return out;
}

std::string renderMarkdown(const Report& r) {
  std::string first, rest;
  for (auto& section : textSections(r, {kUnwrapped, false, false})) {
    if (r.comparison && section.id != "comparison") continue;
    if (section.id == "verdict") first += verdictText(r, section);
    else if (section.id == "comparison") first += headedText(headlineOfRun(r), section);
    else if (isOwn(section.id)) rest += headedText(headlineOfRun(r), section);
    else (isShownFirst(section.id) ? first : rest) += sectionText(section);
  }
  if (first.empty() || rest.empty()) return first + rest;
  return first +
         "\n<details><summary>What else was found, refused and tried, and how it was measured</summary>\n\n" +
         rest + "\n</details>\n";
}

}  // namespace kadvise
