#include "analyzer/source/page_rule.h"

#include <algorithm>
#include <memory>

#include "analyzer/core/error.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/vocabulary.h"

namespace kadvise::source {
namespace {

namespace matchers = clang::ast_matchers;
namespace dynamic = clang::ast_matchers::dynamic;

constexpr const char* kSite = "site";

std::string where(const RulePage& page, const Fence& fence) {
  return page.path + ":" + std::to_string(fence.line);
}

[[noreturn]] void fail(const RulePage& page, const Fence& fence, const dynamic::Diagnostics& problems) {
  std::string text = problems.toString();
  throw Error(where(page, fence),
              "this is no matcher of Clang: " + (text.empty() ? "it ends too early" : text));
}

// "let NAME = MATCHER" lines, each of one line, up to the matcher itself.
llvm::StringRef takeNames(const RulePage& page, const Fence& fence, NamedMatchers& names) {
  llvm::StringRef rest = llvm::StringRef(fence.text).ltrim();
  while (rest.consume_front("let ")) {
    auto [line, after] = rest.split('\n');
    auto [name, text] = line.split('=');
    dynamic::Diagnostics problems;
    dynamic::VariantValue value;
    text = text.trim();
    if (!dynamic::Parser::parseExpression(text, nullptr, &names, &value, &problems))
      fail(page, fence, problems);
    names[name.trim()] = value;
    rest = after.ltrim();
  }
  return rest.rtrim();
}

PageMatcher compile(const RulePage& page, const Fence& fence) {
  NamedMatchers names = vocabulary();
  dynamic::Diagnostics problems;
  llvm::StringRef text = takeNames(page, fence, names);
  auto matcher = dynamic::Parser::parseMatcherExpression(text, nullptr, &names, &problems);
  if (!matcher) fail(page, fence, problems);
  if (fence.text.find("bind(\"site\")") != std::string::npos) return {*matcher, {}};
  auto bound = matcher->tryBind(kSite);
  if (!bound)
    throw Error(where(page, fence), "the outermost matcher cannot be bound; begin with a kind of node");
  return {*bound, {}};
}

bool isForDouble(llvm::ArrayRef<clang::TemplateArgument> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](auto& a) {
    return a.getKind() == clang::TemplateArgument::Type &&
           a.getAsType()->isSpecificBuiltinType(clang::BuiltinType::Double);
  });
}

// A template whose text is that of an instance for doubles as well: what is written for floats there takes
// their digits from them.
bool isForDoublesToo(const clang::FunctionDecl* f) {
  for (const clang::DeclContext* at = f; at; at = at->getParent()) {
    if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(at))
      if (auto* primary = function->getPrimaryTemplate())
        for (auto* other : primary->specializations())
          if (auto* given = other->getTemplateSpecializationArgs(); given && isForDouble(given->asArray()))
            return true;
    if (auto* record = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(at))
      for (auto* other : record->getSpecializedTemplate()->specializations())
        if (isForDouble(other->getTemplateArgs().asArray())) return true;
  }
  return false;
}

// What is written for floats, where --use_fast_math makes another function of it.
bool isPreciseMath(const RulePage& page) {
  return std::find(page.tags.begin(), page.tags.end(), "precise-math") != page.tags.end();
}

class Reporter : public matchers::MatchFinder::MatchCallback {
 public:
  Reporter(const Unit& unit, const PageRule& rule, const PageMatcher& matcher, Findings& findings)
      : unit_(unit), rule_(rule), matcher_(matcher), findings_(findings) {}

  void run(const matchers::MatchFinder::MatchResult& match) override {
    auto found = match.Nodes.getMap().find(kSite);
    if (found == match.Nodes.getMap().end()) return;
    auto& page = *rule_.page;
    Site site;
    site.range = found->second.getSourceRange();
    site.function = functionOf(found->second);
    site.message =
        expand(unit_, page.message.empty() ? page.title : page.message, match.Nodes).value_or(page.title);
    bool isOfFloats = page.price == "fp64" || isPreciseMath(page);
    bool isOpen = isOfFloats && isForDoublesToo(site.function);
    if (!isOpen)
      for (auto& fix : matcher_.fixes)
        if (auto made = fixAt(unit_, fix, match)) site.fixes.push_back(std::move(*made));
    if (auto price = doublePrice(unit_); page.price == "fp64" && price.value > 0) site.price = price;
    findings_.add(page, std::move(site));
  }

 private:
  const clang::FunctionDecl* functionOf(const clang::DynTypedNode& node) const {
    if (auto* f = node.get<clang::FunctionDecl>()) return f;
    auto parents = unit_.context.getParents(node);
    return parents.empty() ? nullptr : functionOf(parents[0]);
  }

  const Unit& unit_;
  const PageRule& rule_;
  const PageMatcher& matcher_;
  Findings& findings_;
};

}  // namespace

PageRule compilePageRule(const RulePage& page) {
  PageRule out{&page, {}};
  bool isBehindMatcher = false;
  for (auto& fence : page.fences) {
    if (fence.role == "matcher") out.matchers.push_back(compile(page, fence));
    if (fence.role == "formula" || fence.role == "matcher") isBehindMatcher = fence.role == "matcher";
    if (fence.role == "edit" && isBehindMatcher)
      out.matchers.back().fixes.push_back(parsePageFix(page, fence));
  }
  return out;
}

void runPageRules(const Unit& unit, const std::vector<PageRule>& rules, Findings& findings) {
  matchers::MatchFinder finder;
  std::vector<std::unique_ptr<Reporter>> reporters;
  for (auto& rule : rules) {
    // What the compiler does by itself there.
    if (unit.fastMath && isPreciseMath(*rule.page)) continue;
    for (auto& m : rule.matchers) {
      reporters.push_back(std::make_unique<Reporter>(unit, rule, m, findings));
      if (!finder.addDynamicMatcher(m.matcher, reporters.back().get()))
        throw Error(rule.page->path, "a matcher of this page matches no kind of node that can be looked for");
    }
  }
  finder.matchAST(unit.context);
}

}  // namespace kadvise::source
