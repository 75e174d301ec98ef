#include "analyzer/lsp/settings.h"

#include <algorithm>

namespace kadvise::lsp {
namespace {

constexpr int kMostDelayMs = 10'000;

// Looks values up by "reports.enable", which clients send nested or with the dot in the name.
struct Reader {
  const Json& from;
  const std::function<void(const std::string&)>& warn;

  const Json* find(const std::string& name) const {
    if (!from.is_object()) return nullptr;
    if (auto it = from.find(name); it != from.end()) return it->is_null() ? nullptr : &*it;
    const Json* at = &from;
    for (std::size_t first = 0; first <= name.size();) {
      std::size_t dot = std::min(name.find('.', first), name.size());
      auto it = at->is_object() ? at->find(name.substr(first, dot - first)) : at->end();
      if (!at->is_object() || it == at->end() || it->is_null()) return nullptr;
      at = &*it, first = dot + 1;
    }
    return at;
  }
  void wrong(const std::string& name, const char* wanted) const {
    warn("kadvise." + name + " is no " + wanted);
  }

  void read(const std::string& name, bool& into) const {
    if (auto* v = find(name)) v->is_boolean() ? void(into = v->get<bool>()) : wrong(name, "bool");
  }
  void read(const std::string& name, int& into, int most) const {
    auto* v = find(name);
    if (!v) return;
    if (!v->is_number()) return wrong(name, "number");
    into = static_cast<int>(std::clamp(v->get<double>(), 0.0, static_cast<double>(most)));
  }
  void read(const std::string& name, std::string& into) const {
    if (auto* v = find(name)) v->is_string() ? void(into = v->get<std::string>()) : wrong(name, "string");
  }
  void read(const std::string& name, std::vector<std::string>& into) const {
    auto* v = find(name);
    if (!v) return;
    bool isList = v->is_array() && std::all_of(v->begin(), v->end(), [](auto& e) { return e.is_string(); });
    if (!isList) return wrong(name, "list of strings");
    into = v->get<std::vector<std::string>>();
  }
  void read(const std::string& name, std::string& into, const std::vector<std::string>& words) const {
    std::string given = into;
    read(name, given);
    if (std::find(words.begin(), words.end(), given) != words.end()) into = given;
    else wrong(name, "word that is known");
  }
};

}  // namespace

Settings settingsFrom(const Json& json, const std::function<void(const std::string&)>& warn) {
  Settings out;
  Reader r{json, warn};
  std::string run = "onType";
  r.read("enable", out.enable), r.read("run", run, {"onType", "onSave"});
  out.lintsOnType = run == "onType";
  r.read("delay", out.delayMs, kMostDelayMs), r.read("arch", out.arch, 999);
  r.read("select", out.select), r.read("ignore", out.ignore);
  r.read("extendSelect", out.extendSelect), r.read("exclude", out.exclude);
  r.read("configuration", out.configuration);
  r.read("configurationPreference", out.configurationPreference,
         {"editorFirst", "filesystemFirst", "editorOnly"});
  r.read("headers", out.headers, {"auto", "stub", "toolkit"});
  r.read("toolkit", out.toolkit), r.read("torch", out.torch), r.read("compileCommands", out.compileCommands);
  r.read("showSyntaxErrors", out.showSyntaxErrors), r.read("fixAll", out.fixAll);
  r.read("codeAction.fixViolation.enable", out.offersFixes);
  r.read("codeAction.disableRuleComment.enable", out.offersIgnoring);
  r.read("otherFiles", out.seesOtherFiles);
  r.read("reports.enable", out.showsReports), r.read("reports.paths", out.reports);
  return out;
}

}  // namespace kadvise::lsp
