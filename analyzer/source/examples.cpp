#include "analyzer/source/examples.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "analyzer/core/apply_edits.h"
#include "analyzer/core/error.h"

namespace kadvise::source {
namespace {

constexpr const char* kMark = "// <- found";

std::set<int> markedLines(const std::string& text) {
  std::set<int> out;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number)
    if (line.find(kMark) != std::string::npos) out.insert(number);
  return out;
}

std::string withoutMarks(std::string text) {
  for (auto at = text.find(kMark); at != std::string::npos; at = text.find(kMark)) {
    auto begin = text.find_last_not_of(' ', at ? at - 1 : 0);
    begin = begin == std::string::npos ? at : begin + 1;
    text.erase(begin, text.find('\n', at) - begin);
  }
  return text;
}

std::string words(const std::set<int>& lines) {
  std::string out;
  for (int l : lines) out += (out.empty() ? "" : ", ") + std::to_string(l);
  return out.empty() ? "none" : out;
}

// The first line in which two texts differ, for a reader of a failed test.
std::string firstDifference(const std::string& wanted, const std::string& got) {
  std::istringstream a(wanted), b(got);
  std::string x, y;
  for (int number = 1;; ++number) {
    bool more = static_cast<bool>(std::getline(a, x)), moreGot = static_cast<bool>(std::getline(b, y));
    if (!more) x.clear();
    if (!moreGot) y.clear();
    if (x != y || (!more && !moreGot))
      return "line " + std::to_string(number) + " is \"" + y + "\", not \"" + x + "\"";
  }
}

class Checker {
 public:
  explicit Checker(const LintSettings& settings) : settings_(settings) {}

  void check(const RulePage& page, const RuleBook& book) {
    for (auto& fence : page.fences) {
      if (fence.language != "cpp" || fence.role == "fixed") continue;
      std::string name = fence.role + ": " + fence.heading;
      try {
        examples.push_back(
            result(page, name, fence.role == "fires" ? firing(page, book, fence) : silent(book, fence)));
      } catch (const Error& e) {
        examples.push_back(result(page, name, e.what()));
      }
    }
  }

  static Json result(const RulePage& page, const std::string& name, const std::string& what) {
    return {{"rule", page.id}, {"name", name}, {"ok", what.empty()}, {"what", what}};
  }

  Json examples = Json::array();

 private:
  // Parsed with our own headers, so that a page's tests mean the same everywhere.
  LintResult lint(const RuleBook& book, const std::string& text) const {
    LintSettings settings = settings_;
    settings.choice = HeaderChoice::Stub;
    bool isCuda = languageOf("example.h", text) == Language::Cuda;
    return lintFile(book, settings, {isCuda ? "example.cu" : "example.cpp", text, std::nullopt, {}, {}});
  }

  static std::string errorsOf(const LintResult& r) {
    if (r.parsed.errors.empty()) return "";
    auto& e = r.parsed.errors[0];
    return "does not compile: line " + std::to_string(e.line) + ": " + e.message;
  }

  std::string silent(const RuleBook& book, const Fence& fence) const {
    auto r = lint(book, fence.text);
    if (auto wrong = errorsOf(r); !wrong.empty()) return wrong;
    return r.findings.empty() ? "" : "is reported, but should not be: " + r.findings[0].message;
  }

  std::string firing(const RulePage& page, const RuleBook& book, const Fence& fence) const {
    auto r = lint(book, fence.text);
    if (auto wrong = errorsOf(r); !wrong.empty()) return wrong;
    std::set<int> got, wanted = markedLines(fence.text);
    for (auto& f : r.findings) {
      got.insert(f.where.line);
      for (auto& l : f.related)
        if (l.note == "and here") got.insert(l.line);
    }
    if (wanted.empty()) return std::string("marks no line with \"") + kMark + "\"";
    if (got != wanted) return "is found at lines " + words(got) + ", not " + words(wanted);
    for (auto& f : page.fences)
      if (f.role == "fixed" && f.heading == fence.heading) return afterFixes(book, r, fence, f);
    return "";
  }

  std::string afterFixes(const RuleBook& book, const LintResult& r, const Fence& before,
                         const Fence& after) const {
    std::vector<const Fix*> fixes;
    for (auto& f : r.findings)
      for (auto& fix : f.fixes)
        if (fix.safety != Safety::DisplayOnly) fixes.push_back(&fix);
    std::string got = withoutMarks(withFixes(before.text, fixes));
    if (got != after.text) return "after the edits " + firstDifference(after.text, got);
    auto again = lint(book, got);
    if (auto wrong = errorsOf(again); !wrong.empty()) return "after the edits it " + wrong;
    for (auto& f : again.findings)
      for (auto& fix : f.fixes)
        if (fix.safety != Safety::DisplayOnly) return "the edits, made twice, change the text again";
    return "";
  }

  const LintSettings& settings_;
};

}  // namespace

Json checkPages(const std::vector<std::string>& pages, const LintSettings& settings) {
  Checker checker(settings);
  for (auto& path : pages) {
    try {
      RuleBook book = loadRules({path});
      checker.check(*book.pages[0], book);
    } catch (const Error& e) {
      checker.examples.push_back({{"rule", path}, {"name", "page"}, {"ok", false}, {"what", e.what()}});
    }
  }
  return {{"examples", checker.examples}};
}

}  // namespace kadvise::source
