#include "analyzer/help.h"

#include <string>

namespace kadvise {
namespace {

constexpr std::size_t kColumn = 24, kTextWidth = 76;

std::string wrapped(const std::string& text) {
  std::string out;
  std::size_t lineStart = 0, column = 0;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(' ', at), text.size());
    if (column && column + 1 + (end - at) > kTextWidth) {
      out += '\n';
      lineStart = out.size();
    } else if (column) {
      out += ' ';
    }
    out += text.substr(at, end - at);
    column = out.size() - lineStart;
    at = end + 1;
  }
  return out;
}

std::string withSingleBlankLines(std::string text) {
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
    text.erase(at, 1);
  return text;
}

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() { column_width(kColumn); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    return withSingleBlankLines(Formatter::make_help(app, name, mode));
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_name() == "why-not") return "\nUsage: kadvise why-not [RULE] MODEL.pt [OPTIONS]\n";
    if (app->get_name() == "report") return "\nUsage: kadvise report REPORT.json [NEWER.json] [OPTIONS]\n";
    if (app->get_parent()) return "\n" + Formatter::make_usage(app, name);
    return "\nUsage: kadvise MODEL.pt [OPTIONS]\n"
           "       kadvise rules list | rules show ID | rules test [WHICH...]\n"
           "       kadvise verify A.pt B.pt | verify A.pt --expected OUT.pt | verify --component KIND A.pt\n"
           "       kadvise why-not [RULE] MODEL.pt\n"
           "       kadvise lint [PATH...] | lsp\n"
           "       kadvise profile MODEL.pt | levels MODEL.pt | bench OP | doctor\n"
           "       kadvise report REPORT.json | report OLD.json NEW.json\n";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description());
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> helpFormat() { return std::make_shared<HelpFormat>(); }

const char* const kAbout =
    "kadvise finds what keeps a GPU from running a TorchScript module fast, proposes replacements, and "
    "proves them:\n"
    "equal outputs, and how much faster, measured on this machine.";

const char* const kFooter = R"(Examples:
  kadvise model.pt --input 'float32[8,3,224,224]'
      advice, each item measured; the last report is kept in .kadvise/last.json
  kadvise bert.pt --input 'int64[2,128]<30000' --input 'int64[2,128]<2' --apply -o bert.fast.pt
      the same, and write the faster module once it is proven equal and not slower
  kadvise model.pt --input 'float32[4,512]' --no-verify
      static advice only: nothing is timed
  kadvise model.pt --input 'float32[4,512]' --baseline known.json --fail-on opportunity
      for a continuous build: fails at findings that known.json (of --write-baseline) does not hold
  kadvise why-not fusion/rope model.pt --input 'float32[4,512]'
      where the rule nearly matches, and what differs there
  kadvise rules show fusion/add-layer-norm
  kadvise report .kadvise/last.json --verbose
  kadvise report .kadvise/previous.json .kadvise/last.json
      what the last run lost and gained against the one before

A module runs code when it is loaded: open only files that you would run.

Exit codes:
  0    done
  1    findings of the --fail-on severity; --apply: not written; rules test, verify: a check failed
  2    could not run: a wrong option, a file that cannot be read, an engine that died
  130  interrupted; 143 terminated, 129 hung up)";

}  // namespace kadvise
