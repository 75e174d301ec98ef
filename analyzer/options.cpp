#include "analyzer/options.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "analyzer/command_options.h"
#include "analyzer/core/catalogue.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/nearest.h"
#include "analyzer/help.h"
#include "reports/page.h"

namespace kadvise {
namespace {

constexpr double kGiB = 1u << 30;
constexpr double kMostGiB = 1u << 30;  // no machine has more, and no number of bytes would hold it

std::vector<std::filesystem::path> paths(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

Keep keepFrom(const std::string& word) {
  if (word == "faster") return Keep::Faster;
  return word == "equal" ? Keep::Equal : Keep::NotSlower;
}

Color colorFrom(const std::string& word) {
  if (word == "always") return Color::Always;
  return word == "never" ? Color::Never : Color::Auto;
}

// Before all work: a report that cannot be written is known to be lost.
void requirePlaceFor(const char* option, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  if (file.empty() || file == "-" || isStream(file)) return;
  std::error_code ec;
  std::string where = std::string(option) + " " + file.string();
  if (fs::is_directory(file, ec)) throw Error(where, "is a folder; name the file to write");
  fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder, ec)) throw Error(where, "its folder does not exist");
  if (!fs::exists(file, ec) && ::access(folder.c_str(), W_OK) != 0)
    throw Error(where, "its folder cannot be written");
}

// Standard output is the report's.
void requireFileFor(const char* option, const std::filesystem::path& file) {
  if (file == "-") throw Error(std::string(option) + " -", "is no file; name the file to write");
  requirePlaceFor(option, file);
}

// Written under another name, and given its own once it is whole.
void requireNoStream(const char* option, const std::filesystem::path& file) {
  if (!file.empty() && isStream(file))
    throw Error(std::string(option) + " " + file.string(), "is no file; name the file to write");
}

// What cannot be made would be missed only after the work.
void requireViews(const CommandLine& line) {
  auto& v = line.views;
  requirePlaceFor("--report", v.page);
  requirePlaceFor("--markdown", v.markdown);
  requirePlaceFor("--sarif", v.sarif);
  requirePlaceFor("--junit", v.junit);
  bool isPlace = v.page == "-" || v.page.ends_with(".html") || v.page.ends_with(".htm") || v.page.empty();
  if (!isPlace)
    throw Error("--report " + v.page,
                "is a page: name it FILE.html (--json, --markdown, --sarif and --junit write other forms)");
  if (auto why = whyNoPage(); !v.page.empty() && !why.empty()) throw Error("--report", why);
  if (v.isStepSummary && !std::getenv(kStepSummary))
    throw Error("--step-summary",
                std::string(kStepSummary) + " is not set: GitHub Actions sets it in a step");
}

void requirePlaces(const CommandLine& line) {
  requirePlaceFor("--json", line.json);
  requireViews(line);
  requireFileFor("--write-baseline", line.assistant.writeBaseline);
  requireFileFor("--trace", line.profile.trace);
  requireNoStream("--trace", line.profile.trace);
  requirePlaceFor("--output-file", line.lint.outputFile);
}

// Before all work too: a run without them would end without what was asked for.
void requireRuleFolders(const std::vector<std::filesystem::path>& folders) {
  for (auto& folder : folders)
    if (auto why = whyNoRuleFolder(folder); !why.empty()) throw Error("--rules " + folder.string(), why);
}

void complete(CommandLine& line, const RawOptions& raw) {
  auto& a = line.assistant;
  a.verify = !raw.noVerify;
  a.keep = keepFrom(raw.keep);
  a.rules = paths(raw.rules);
  a.select = raw.select;
  a.ignore = raw.ignore;
  a.engines = raw.engines;
  a.workDir = raw.workDir;
  a.baseline = raw.baseline;
  a.writeBaseline = raw.writeBaseline;
  line.config = raw.config;
  a.memoryLimitBytes = static_cast<std::size_t>(std::min(raw.memoryGiB, kMostGiB) * kGiB);
  line.subject.inputsFile = raw.inputsFile;
  line.subject.opLibraries = paths(raw.opLibraries);
  line.output = raw.output;
  line.profile.trace = raw.trace;
  if (line.lint.outputFile == "-") line.lint.outputFile.clear();  // it goes to standard output anyway
  line.expected = raw.expected;
  // One by one: a list of positional arguments would take both.
  for (auto& path : {raw.module, raw.other})
    if (!path.empty()) line.arguments.push_back(path);
  line.color = colorFrom(raw.color);
  line.failsOnRegression = raw.failOn == kRegression;
  if (raw.failOn != "never" && !line.failsOnRegression) line.failOn = severityFrom(raw.failOn);
}

// command: whose help has more to say; "" for none.
Farewell wrong(const std::string& what, const std::string& command = {}) {
  std::string which = command.empty() ? "" : command + " ";
  return {"kadvise: " + what + "\n`kadvise " + which + "--help` shows what there is.\n", 2};
}

// The program and the commands that were given, the innermost last.
std::vector<const CLI::App*> asked(const CLI::App& app) {
  std::vector<const CLI::App*> out = {&app};
  while (!out.back()->get_subcommands().empty()) out.push_back(out.back()->get_subcommands().front());
  return out;
}

// "rules list", of what was given.
std::string commandOf(const CLI::App& app) {
  std::string out;
  for (auto* command : asked(app))
    if (command != &app) out += (out.empty() ? "" : " ") + command->get_name();
  return out;
}

// "; did you mean --verbose?" of the first option that the command does not know; "" where none is near.
std::string meantOption(const CLI::App& app) {
  std::vector<std::string> known;
  for (auto* option : asked(app).back()->get_options())
    for (auto& name : option->get_lnames()) known.push_back(name);
  for (auto& word : app.remaining(true)) {
    if (!word.starts_with("--")) continue;
    auto nearest = nearestOf(word.substr(2, word.find('=') - 2), known);
    if (!nearest.empty()) return "; did you mean --" + nearest + "?";
  }
  return "";
}

}  // namespace

CommandLine parseCommandLine(int argc, const char* const* argv) {
  CommandLine line;
  RawOptions raw;
  CLI::App app(kAbout, "kadvise");
  app.formatter(helpFormat());
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("kadvise ") + KADVISE_VERSION);
  addAdvise(&app, line, raw);
  addRulesCommand(app, line, raw);
  addVerifyCommand(app, line, raw);
  addWhyNotCommand(app, line, raw);
  addProfileCommand(app, line, raw);
  addLevelsCommand(app, line, raw);
  addBenchCommand(app, line, raw);
  addLintCommand(app, line, raw);
  addLspCommand(app, line, raw);
  addDoctorCommand(app, line, raw);
  addReportCommand(app, line, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    bool asked = app.exit(e, out, err) == 0;
    if (asked) throw Farewell{out.str(), 0};
    bool isUnknown = e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    throw wrong(e.get_name() == "RequiredError" && app.got_subcommand("rules") &&
                        app.get_subcommand("rules")->get_subcommands().empty()
                    ? "rules needs list, show ID or test [WHICH...]"
                    : e.what() + (isUnknown ? meantOption(app) : ""),
                commandOf(app));
  }
  for (int i = 0; i < argc; ++i) line.assistant.command.push_back(i ? argv[i] : "kadvise");
  if (line.command == Command::Advise) line.arguments = raw.models;
  else if (!raw.models.empty()) throw wrong("\"" + raw.models.front() + "\" is too much here");
  auto* lint = app.get_subcommand("lint");
  line.given = {app.count("--device") > 0, app.count("--budget") > 0,
                app.count("--fail-on") > 0 || lint->count("--fail-on") > 0};
  if (line.command == Command::Lint && !line.given.failOn) raw.failOn = "warning";
  complete(line, raw);
  requirePlaces(line);
  requireRuleFolders(line.assistant.rules);
  return line;
}

}  // namespace kadvise
