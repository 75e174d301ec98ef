#include "analyzer/lsp/actions.h"

#include <algorithm>
#include <map>

#include "analyzer/core/apply_edits.h"
#include "analyzer/lsp/ignoring.h"

namespace kadvise::lsp {
namespace {

constexpr const char* kQuickFix = "quickfix";
constexpr const char* kFixAll = "source.fixAll.kadvise";
// Of a selection; whoever selects more wants the fixes of all places together, and nobody reads longer lists.
constexpr std::size_t kMostFindings = 100;

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

const std::vector<Edit>* ownEdits(const Document& d, const Fix& fix) {
  auto* edits = std::get_if<std::vector<Edit>>(&fix.change);
  if (!edits || edits->empty() || fix.safety == Safety::DisplayOnly) return nullptr;
  bool isOwn = std::all_of(edits->begin(), edits->end(), [&](auto& e) {
    return e.file.empty() || std::filesystem::path(e.file).lexically_normal() == d.path;
  });
  return isOwn ? edits : nullptr;
}

Json asJson(const Document& d, const std::vector<const Fix*>& fixes) {
  Json out = Json::array();
  for (auto& e : editsOf(d.text.bytes(), fixes)) out.push_back(asJson(d.text, e));
  return out;
}

// Where a finding stands: its own place, and the others of the same function.
std::vector<Range> placesOf(const Document& d, const Shown& s) {
  std::vector<Range> out = {s.range};
  if (!s.finding) return out;
  for (auto& r : s.finding->related)
    if (r.file == s.finding->where.file) out.push_back(rangeIn(d.text, r));
  return out;
}

// The place that a fix is of: the one nearest to what it changes.
std::size_t placeOf(const Document& d, const std::vector<Range>& places, const std::vector<Edit>& edits) {
  std::size_t line = d.text.positionOf(edits.front().offset).line, best = 0;
  auto away = [&](std::size_t i) {
    auto& p = places[i];
    return line < p.start.line ? p.start.line - line : line > p.end.line ? line - p.end.line : 0;
  };
  for (std::size_t i = 1; i < places.size(); ++i)
    if (away(i) < away(best)) best = i;
  return best;
}

std::string safetyWords(Safety safety) { return safety == Safety::Safe ? "" : " (unsafe)"; }

// Of an action whose edits are asked for later, if at all.
Json dataOf(const Document& d) { return {{"uri", d.uri}, {"version", d.version}}; }

std::vector<const Fix*> safeFixes(const Document& d) {
  std::vector<const Fix*> out;
  if (!d.result) return out;
  for (auto& f : d.result->findings)
    for (auto& fix : f.fixes)
      if (fix.safety == Safety::Safe && ownEdits(d, fix)) out.push_back(&fix);
  return out;
}

struct Actions {
  const ActionRequest& r;
  Json out = Json::array();
  std::size_t findings = 0;           // that have theirs
  std::vector<LexedLine> lines = {};  // of the text, once somebody asks

  void add(const Shown& s, const std::string& title, Json more) {
    more["title"] = title, more["kind"] = kQuickFix;
    more["diagnostics"] =
        Json::array({diagnosticOf(s, {r.book, r.can, r.document.uri, r.document.text, r.others})});
    out.push_back(std::move(more));
  }
  void addEdit(const Shown& s, const std::string& title, Json edits, Json more = Json::object()) {
    more["edit"] = workspaceEdit(r.document, r.can, std::move(edits));
    add(s, title, std::move(more));
  }

  void addFix(const Shown& s, const Fix& fix, bool isPreferred) {
    Json edits = asJson(r.document, {&fix});
    if (edits.empty()) return;
    addEdit(s, fix.title + safetyWords(fix.safety), std::move(edits),
            isPreferred ? Json{{"isPreferred", true}} : Json::object());
  }
  void addFixesTogether(const Shown& s, const std::vector<const Fix*>& fixes) {
    auto& first = *fixes.front();
    std::string title =
        first.title + ", at all " + std::to_string(fixes.size()) + " places" + safetyWords(first.safety);
    if (!r.can.resolvesEdits) return addEdit(s, title, asJson(r.document, fixes));
    Json data = dataOf(r.document);
    data["finding"] = s.finding->id, data["fix"] = first.title, data["safety"] = word(first.safety);
    add(s, title, {{"data", std::move(data)}});
  }

  // Those of the places that are asked about; then, where there are more of a kind, all of them together.
  void addFixes(const Shown& s, const std::vector<Range>& places, Safety safety) {
    std::map<std::string, std::vector<const Fix*>> byTitle;
    bool isFirst = true;
    for (auto& fix : s.finding->fixes) {
      auto* edits = ownEdits(r.document, fix);
      if (!edits || fix.safety != safety) continue;
      byTitle[fix.title].push_back(&fix);
      if (!touch(places[placeOf(r.document, places, *edits)], r.range)) continue;
      addFix(s, fix, isFirst && safety == Safety::Safe);
      isFirst = false;
    }
    for (auto& [title, fixes] : byTitle)
      if (fixes.size() > 1) addFixesTogether(s, fixes);
  }

  void addIgnoring(const Shown& s) {
    if (!s.finding || !r.settings.offersIgnoring || s.isUnnecessary) return;
    auto& text = r.document.text;
    if (lines.empty()) lines = lexedLines(text);
    if (auto edit = ignoreOnLine(text, lines, s.range.start.line, s.rule))
      addEdit(s, "Ignore " + s.rule + " on this line", Json::array({asJson(*edit)}));
    addEdit(s, "Ignore " + s.rule + " in this file",
            Json::array({asJson(ignoreInFile(text, lines, s.rule))}));
  }

  void addCommand(const Shown& s, const std::string& title, const char* command, Json argument) {
    add(s, title,
        {{"command", {{"title", title}, {"command", command}, {"arguments", Json::array({argument})}}}});
  }

  void addAll(const Shown& s) {
    auto places = placesOf(r.document, s);
    if (std::none_of(places.begin(), places.end(), [&](auto& p) { return touch(p, r.range); })) return;
    ++findings;
    if (s.finding && r.settings.offersFixes)
      for (Safety safety : {Safety::Safe, Safety::Unsafe}) addFixes(s, places, safety);
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

Json fixAllEdits(const Document& d) { return asJson(d, safeFixes(d)); }

Json resolvedEdits(const Document& d, const Json& data) {
  if (!data.contains("finding")) return fixAllEdits(d);
  auto finding = data["finding"].get<std::string>(), title = data.at("fix").get<std::string>();
  Safety safety = safetyFrom(data.at("safety").get<std::string>());
  std::vector<const Fix*> fixes;
  for (auto& f : d.result->findings)
    for (auto& fix : f.fixes) {
      bool isMeant = f.id == finding && fix.title == title && fix.safety == safety;
      if (isMeant && ownEdits(d, fix)) fixes.push_back(&fix);
    }
  return asJson(d, fixes);
}

Json actionsFor(const ActionRequest& r) {
  Actions actions{r};
  if (isWanted(r.only, kQuickFix))
    for (auto& s : r.shown)
      if (s.kind != Kind::Language && actions.findings < kMostFindings) actions.addAll(s);
  if (!r.settings.fixAll || !isWanted(r.only, kFixAll)) return actions.out;
  if (safeFixes(r.document).empty()) return actions.out;
  Json all = {{"title", "Fix all that is safe (kadvise)"}, {"kind", kFixAll}};
  if (r.can.resolvesEdits) all["data"] = dataOf(r.document);
  else all["edit"] = workspaceEdit(r.document, r.can, fixAllEdits(r.document));
  actions.out.push_back(std::move(all));
  return actions.out;
}

}  // namespace kadvise::lsp
