#include "analyzer/lsp/actions.h"

#include <algorithm>

#include "analyzer/core/apply_edits.h"
#include "analyzer/lsp/ignoring.h"

namespace kadvise::lsp {
namespace {

constexpr const char* kQuickFix = "quickfix";
constexpr const char* kFixAll = "source.fixAll.kadvise";

// A kind that is asked for stands for those below it, too.
bool isWanted(const std::vector<std::string>& only, const std::string& kind) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](auto& asked) {
           return asked.empty() || asked == kind || kind.rfind(asked + ".", 0) == 0;
         });
}

Json asJson(const Text& text, const Edit& e) {
  return {{"range", text.rangeOf(e.offset, e.offset + e.length)}, {"newText", e.text}};
}
Json asJson(const TextEdit& e) { return {{"range", e.range}, {"newText", e.text}}; }

// The edits of one fix; none where they are of other files, or overlap.
Json editsOfFix(const Document& d, const Fix& fix) {
  auto* edits = std::get_if<std::vector<Edit>>(&fix.change);
  if (!edits || fix.safety == Safety::DisplayOnly) return Json::array();
  bool isOwn = std::all_of(edits->begin(), edits->end(), [&](auto& e) {
    return e.file.empty() || std::filesystem::path(e.file).lexically_normal() == d.path;
  });
  Json out = Json::array();
  if (isOwn)
    for (auto& e : editsOf(d.text.bytes(), {&fix})) out.push_back(asJson(d.text, e));
  return out;
}

struct Actions {
  const ActionRequest& r;
  Json out = Json::array();

  void add(const Shown& s, const std::string& title, Json more) {
    more["title"] = title, more["kind"] = kQuickFix;
    more["diagnostics"] = Json::array({diagnosticOf(s, r.book, r.can, r.document.uri, r.document.text)});
    out.push_back(std::move(more));
  }
  void addEdit(const Shown& s, const std::string& title, Json edits, Json more = Json::object()) {
    more["edit"] = workspaceEdit(r.document, r.can, std::move(edits));
    add(s, title, std::move(more));
  }

  void addFixes(const Shown& s) {
    if (!s.finding || !r.settings.offersFixes) return;
    bool isFirst = true;
    for (Safety safety : {Safety::Safe, Safety::Unsafe})
      for (auto& fix : s.finding->fixes) {
        if (fix.safety != safety) continue;
        Json edits = editsOfFix(r.document, fix);
        if (edits.empty()) continue;
        bool isSafe = safety == Safety::Safe;
        Json more = Json::object();
        if (isSafe && isFirst) more["isPreferred"] = true;
        addEdit(s, fix.title + (isSafe ? "" : " (unsafe)"), std::move(edits), more);
        isFirst = false;
      }
  }

  void addIgnoring(const Shown& s) {
    if (!s.finding || !r.settings.offersIgnoring || s.isUnnecessary) return;
    auto& text = r.document.text;
    if (auto edit = ignoreOnLine(text, s.range.start.line, s.rule))
      addEdit(s, "Ignore " + s.rule + " on this line", Json::array({asJson(*edit)}));
    addEdit(s, "Ignore " + s.rule + " in this file", Json::array({asJson(ignoreInFile(text, s.rule))}));
  }

  void addCommand(const Shown& s, const std::string& title, const char* command, Json argument) {
    add(s, title, {{"command", {{"title", title}, {"command", command}, {"arguments", Json::array({argument})}}}});
  }

  void addAll(const Shown& s) {
    addFixes(s);
    addIgnoring(s);
    if (s.kind == Kind::Model && !s.report.empty())
      addCommand(s, "Measure this fix: " + s.rule, "kadvise.server.measureFix",
                 {{"report", s.report}, {"rule", s.rule}, {"run", true}});
    if (r.book.find(s.rule))
      addCommand(s, "Show " + s.rule, "kadvise.server.showRule", {{"rule", s.rule}, {"open", true}});
  }
};

}  // namespace

Json workspaceEdit(const Document& d, const ClientCan& can, Json edits) {
  if (!can.documentChanges) return {{"changes", {{d.uri, edits}}}};
  Json change = {{"textDocument", {{"uri", d.uri}, {"version", d.version}}}, {"edits", edits}};
  return {{"documentChanges", Json::array({change})}};
}

Json fixAllEdits(const Document& d) {
  Json out = Json::array();
  if (!d.result) return out;
  std::vector<const Fix*> safe;
  for (auto& f : d.result->findings)
    for (auto& fix : f.fixes)
      if (fix.safety == Safety::Safe && !editsOfFix(d, fix).empty()) safe.push_back(&fix);
  for (auto& e : editsOf(d.text.bytes(), safe)) out.push_back(asJson(d.text, e));
  return out;
}

Json actionsFor(const ActionRequest& r) {
  Actions actions{r};
  if (isWanted(r.only, kQuickFix))
    for (auto& s : r.shown)
      if (s.kind != Kind::Language && touch(s.range, r.range)) actions.addAll(s);
  if (!r.settings.fixAll || !isWanted(r.only, kFixAll)) return actions.out;
  if (Json edits = fixAllEdits(r.document); !edits.empty())
    actions.out.push_back({{"title", "Fix all that is safe (kadvise)"},
                           {"kind", kFixAll},
                           {"edit", workspaceEdit(r.document, r.can, std::move(edits))}});
  return actions.out;
}

}  // namespace kadvise::lsp
