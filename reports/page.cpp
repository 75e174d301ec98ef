#include "reports/page.h"

#include "analyzer/core/error.h"
#include "reports/lint_summary.h"
#include "reports/view.h"
#include "reports/visible_json.h"

namespace kadvise {
namespace {

// JSON that can stand in a page: a "</script>" in a model's name must not end the element. These characters
// occur in JSON only inside of strings.
std::string escapedForPage(const std::string& json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (char c : json) {
    if (c == '<') out += "\\u003c";
    else if (c == '>') out += "\\u003e";
    else if (c == '&') out += "\\u0026";
    else out += c;
  }
  return out;
}

}  // namespace

std::string whyNoPage() {
  if (!pageTemplate().empty()) return "";
  return "this build of kadvise has no page: Node 18 or newer with npm was missing when it was built; "
         "install them and "
         "build again (--json and --markdown need neither)";
}

namespace {

std::string pageWith(const Json& data) {
  if (auto why = whyNoPage(); !why.empty()) throw Error("--report", why);
  const std::string page = pageTemplate();
  auto at = page.find(kPageData);
  if (at == std::string::npos) throw Error("--report", "the page has no place for its data");
  auto text = visibleJson(data).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out = page.substr(0, at);
  out += escapedForPage(text);
  return out.append(page, at + kPageData.size());
}

}  // namespace

std::string renderPage(const Report& report) {
  return pageWith({{"report", report}, {"view", viewOf(report)}});
}

std::string renderPage(const LintReport& report) {
  Json limits = Json::array();
  for (auto& limit : lintLimits(report)) limits.push_back(limit.text);
  Json errors = Json::array();
  for (auto* e : errorsOfNoFile(report)) errors.push_back(*e);
  return pageWith(
      {{"lint", report},
       {"view", {{"headline", lintSummary(report)}, {"limits", limits}, {"errors", std::move(errors)}}}});
}

}  // namespace kadvise
