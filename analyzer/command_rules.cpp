#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <system_error>

#include "analyzer/commands.h"
#include "analyzer/core/file.h"
#include "analyzer/print.h"
#include "analyzer/reported_run.h"
#include "analyzer/rule_proof.h"
#include "analyzer/rule_selection.h"
#include "reports/headline.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr int kTestFailed = 1, kCouldNotRun = 2;

// A page that cannot be read is said; the others are usable.
int sayErrors(const Catalogue& book) {
  for (auto& e : book.errors) warn(e.what());
  return book.errors.empty() ? 0 : kCouldNotRun;
}

Catalogue rulesOf(const CommandLine& line) {
  return loadCatalogue(ruleFolders(findInstallation(ownFolder()), line.assistant.rules));
}

// Folders among the arguments are the books to test; the other arguments choose rules.
struct Wanted {
  Catalogue book;
  std::vector<const RulePage*> pages;
};

// Alone they pass; --rules, which reads them beside the bundled pages, will refuse them.
void sayClashes(const Catalogue& own) {
  Catalogue bundled = loadCatalogue(ruleFolders(findInstallation(ownFolder()), {}));
  std::error_code ec;
  for (auto& page : own.pages)
    if (auto* other = bundled.find(page.id); other && !fs::equivalent(page.path, other->path, ec))
      warn(fs::path(page.path).string() + ": a bundled rule has the id " + page.id +
           ", so --rules will refuse this page; give it another id");
}

void requireKnown(const Catalogue& book, const std::vector<std::string>& selectors) {
  for (auto& s : selectors)
    if (!namesRules(book, s))
      throw Error("rules test",
                  "\"" + s + "\" is neither a rule, a category nor a folder; " + remedyFor(book, s));
}

void choose(const CommandLine& line, Wanted& out) {
  std::vector<fs::path> folders;
  std::vector<std::string> selectors;
  for (auto& a : line.arguments) {
    std::error_code ec;
    bool isPath = a.starts_with('/') || a.starts_with('.') || fs::exists(a, ec);
    if (!isPath) selectors.push_back(a);
    else if (auto why = whyNoRuleFolder(a); !why.empty()) throw Error(a, why);
    else folders.push_back(a);
  }
  bool onlyFolders = !folders.empty() && selectors.empty();
  folders.insert(folders.end(), line.assistant.rules.begin(), line.assistant.rules.end());
  out.book = onlyFolders ? loadCatalogue(folders)
                         : loadCatalogue(ruleFolders(findInstallation(ownFolder()), folders));
  if (onlyFolders) sayClashes(out.book);
  requireKnown(out.book, selectors);
  out.pages = selectRules(out.book, selectors, {});
  if (out.pages.empty() && out.book.errors.empty()) throw Error("rules test", "there are no pages to test");
}

struct Count {
  int examples = 0, proofs = 0, failed = 0;
};

std::string summary(const std::string& rule, const Count& n) {
  std::string out = fmt::format("{}  {}: {} example{}", n.failed ? "FAIL" : "ok  ", rule, n.examples,
                                n.examples == 1 ? "" : "s");
  if (n.proofs) out += fmt::format(", {} proof{} equal", n.proofs, n.proofs == 1 ? "" : "s");
  if (n.failed) out += fmt::format(", {} failed", n.failed);
  return out + "\n";
}

int printTests(const RuleTestRun& run, const CommandLine& line) {
  std::map<std::string, Count> counts;
  std::string text;
  int failed = 0;
  for (auto& t : run.tests) {
    auto& n = counts[t.rule];
    if (!t.passed) ++n.failed, ++failed;
    else ++(t.kind == RuleTest::Kind::Proof ? n.proofs : n.examples);
    if (t.passed && line.verbose)
      text += fmt::format("  ok    {}: {}{}\n", t.rule, t.name, t.what.empty() ? "" : " (" + t.what + ")");
    if (!t.passed) text += fmt::format("  FAIL  {}: {}: {}\n", t.rule, t.name, t.what);
  }
  for (auto& [rule, n] : counts) text += summary(rule, n);
  Report where;
  where.device = run.device;
  // Examples of sources alone run on no device.
  std::string on = run.device.kind.empty() ? "" : ", on " + deviceWords(where);
  text += fmt::format("{} rule{}, {} test{}, {} failed{}\n", counts.size(), counts.size() == 1 ? "" : "s",
                      run.tests.size(), run.tests.size() == 1 ? "" : "s", failed, on);
  if (!line.quiet || failed) print(text);
  return failed ? kTestFailed : 0;
}

}  // namespace

int listRules(const CommandLine& line) {
  Catalogue book = rulesOf(line);
  std::size_t widest = 0;
  for (auto& p : book.pages) widest = std::max(widest, p.id.size());
  std::string text;
  for (auto& p : book.pages)
    text += fmt::format("{:<{}}  {:<11}  {}{}\n", p.id, widest, word(p.severity), p.title,
                        p.isOff ? "  (off: --select names it)" : "");
  print(text);
  return sayErrors(book);
}

int showRules(const CommandLine& line) {
  Catalogue book = rulesOf(line);
  for (auto& id : line.arguments) {
    auto* page = book.find(id);
    if (!page) {
      sayErrors(book);  // the page may be there and be wrong
      bool isBundledOnly = line.assistant.rules.empty();
      throw Error("rule \"" + id + "\"", "is not in the rule book; " + remedyFor(book, id) +
                                             (isBundledOnly ? " (--rules DIR for a pack's rule)" : ""));
    }
    print(readFile(page->path));
  }
  return 0;
}

int testRules(CommandLine& line) {
  Wanted wanted;
  choose(line, wanted);
  int broken = sayErrors(wanted.book);
  if (wanted.pages.empty()) return broken;
  // For the engines. The tensors of proofs are small: where other programs run, threads would wait for each
  // other longer than they compute.
  ::setenv("OMP_NUM_THREADS", "1", /*overwrite=*/0);
  RuleTestRun run =
      withProgress(line, [&] { return testRulePages(line.assistant, line.subject, wanted.pages); });
  for (auto& note : run.notes) warn(note);
  int failed = printTests(run, line);
  if (run.error.empty()) return std::max(broken, failed);
  warn(run.error);
  return kCouldNotRun;
}

}  // namespace kadvise
