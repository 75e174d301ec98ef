#include "analyzer/lint/lint_session.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <thread>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/core/hash.h"
#include "analyzer/core/utf8.h"
#include "analyzer/lint/compile_commands.h"
#include "analyzer/lint/lint_run.h"
#include "analyzer/lint/prepare_arguments.h"
#include "analyzer/lint/unused_suppression.h"
#include "analyzer/lint/user_cache.h"
#include "analyzer/rule_selection.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

// What changes when kadvise-source is built anew.
std::string stampOf(const fs::path& program) {
  std::error_code ec;
  return std::to_string(fs::file_size(program, ec)) + ":" +
         std::to_string(fs::last_write_time(program, ec).time_since_epoch().count());
}

// In the user's own folder, unless he names one: what lies among the sources came with them, perhaps.
KeptFiles keptFilesOf(const LintOptions& options) {
  if (options.noCache) return {};
  if (!options.cacheFolder.empty()) return KeptFiles::named(options.cacheFolder);
  fs::path user = userCacheFolder();
  return user.empty() ? KeptFiles() : KeptFiles::ofUser(fs::absolute(user).lexically_normal() / "lint");
}

// Everything that the results of a run depend on, beside each file.
std::string commonKey(const Json& prepare, const std::vector<const RulePage*>& rules,
                      const fs::path& program) {
  std::string out = prepare.dump() + stampOf(program);
  // Another version in the folder of the one before.
  out += stampOf(fs::path(prepare.at("toolkit").get<std::string>()) / "include/cuda_runtime_api.h") +
         stampOf(fs::path(prepare.at("torch").get<std::string>()) / "version.py");
  for (auto* p : rules) out += stableHash(readFile(p->path));
  return stableHash(out);
}

std::vector<fs::path> foldersOf(const LintOptions& options) {
  if (options.stdinFile) return {fs::absolute(*options.stdinFile).parent_path()};
  if (options.paths.empty()) return {fs::current_path()};
  return {options.paths.begin(), options.paths.end()};
}

// The key is of the text that was read here, and kadvise-source opens the file itself: a result of what was
// saved in between is not kept.
bool isWhatWasRead(const LintSubject& s) {
  if (s.isGiven) return true;
  try {
    return readFile(s.path) == s.text;
  } catch (const Error&) {
    return false;
  }
}

// A message holds text alone.
void addText(Json& to, const std::string& text, const char* asText, const char* asBytes) {
  if (validUtf8(text) == text) to[asText] = text;
  else to[asBytes] = charactersOf(text);
}

}  // namespace

LintSession::LintSession(const LintOptions& options, const AssistantOptions& assistant)
    : options_(options),
      assistant_(assistant),
      installation_(findInstallation(ownFolder(), assistant.engines)),
      book_(loadCatalogue(ruleFolders(installation_, assistant.rules))) {
  if (!book_.errors.empty()) throw book_.errors.front();
  rules_ = rulesOfLint(book_, options, assistant);
  if (!options.diffBase.empty()) changed_ = changedSince(options.diffBase, foldersOf(options));
  Json prepare = prepareArguments(options, installation_, rules_);
  fs::path program = engineProgram(installation_.engines, "kadvise-source");
  KeptFiles kept = keptFilesOf(options);
  if (!kept && !options.noCache && !options.cacheFolder.empty())
    notes_.push_back("--cache-dir " + options.cacheFolder.string() +
                     ": is a link, or cannot be written; results are not kept");
  cache_ = std::make_unique<ResultCache>(std::move(kept), commonKey(prepare, rules_, program));
}

SourcePool& LintSession::pool() {
  if (pool_) return *pool_;
  fs::path program = engineProgram(installation_.engines, "kadvise-source");
  int jobs =
      options_.jobs > 0 ? options_.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  work_.emplace(assistant_.workDir);
  pool_ = std::make_unique<SourcePool>(Program(program), prepareArguments(options_, installation_, rules_),
                                       limitsOfSources(assistant_), work_->path(), jobs);
  return *pool_;
}

const ChangedFile* LintSession::changeOf(const LintSubject& s) const {
  if (!changed_) return nullptr;
  auto it = changed_->find(fs::absolute(s.path).lexically_normal().string());
  return it == changed_->end() ? nullptr : &it->second;
}

const LineRanges* LintSession::linesOf(const LintSubject& s) const {
  static const LineRanges kNone;
  if (!changed_) return nullptr;
  if (s.lines) return &*s.lines;
  auto* change = changeOf(s);
  return change ? &change->lines : &kNone;
}

const std::optional<std::string>& LintSession::textBeforeOf(const LintSubject& s) const {
  auto [it, isNew] = textsBefore_.try_emplace(s.path);
  auto* change = changeOf(s);
  if (isNew && change) it->second = textBefore(options_.diffBase, *change);
  return it->second;
}

void LintSession::stands(const LintedFile& file) {
  if (file.failure.empty()) records_[file.path] = file.record;
}

fs::path LintSession::databaseFor(const std::string& path) const {
  if (!options_.compileCommands.empty()) return options_.compileCommands;
  fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  auto known = databases_.find(folder.string());
  if (known == databases_.end())
    known = databases_.emplace(folder.string(), findCompileDatabase(folder)).first;
  return known->second;
}

Json LintSession::argumentsFor(const LintSubject& s, const LineRanges* lines) const {
  // A message holds text alone: a name that is none is shown otherwise, and cannot be opened.
  std::string name = validUtf8(s.path);
  Json out = {{"file", name}};
  if (s.isGiven || name != s.path) addText(out, s.text, "text", "bytes");
  auto database = databaseFor(s.path).string();
  if (!database.empty() && validUtf8(database) == database) out["database"] = database;
  if (!lines) return out;
  out["lines"] = Json::array();
  for (auto& [first, last] : *lines) out["lines"].push_back({first, last});
  if (auto& before = textBeforeOf(s)) addText(out, *before, "before", "bytesBefore");
  return out;
}

std::string LintSession::furtherKeyOf(const LintSubject& s, const LineRanges* lines) const {
  fs::path database = databaseFor(s.path);
  std::string out = database.empty() ? "" : database.string() + stampOf(database);
  if (!lines) return out;
  for (auto& [first, last] : *lines) out += "\n" + std::to_string(first) + "-" + std::to_string(last);
  auto& before = textBeforeOf(s);
  return out + "\nsince " + (before ? stableHash(*before) : "");
}

WaitHooks LintSession::hooks(std::size_t all, const std::size_t& done) const {
  auto since = std::chrono::steady_clock::now();
  auto tick = [this, all, &done, since] {
    if (!assistant_.progress) return;
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
    assistant_.progress({"reading sources", std::to_string(done) + " of " + std::to_string(all),
                         static_cast<double>(done), static_cast<double>(all), seconds});
  };
  return {tick, assistant_.interrupted};
}

std::vector<LintSession::Task> LintSession::tasksAlone(const std::vector<LintSubject>& subjects,
                                                       std::vector<LintedFile>& out) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    auto* lines = linesOf(subjects[i]);
    out[i].path = subjects[i].path;
    if (lines && !changeOf(subjects[i])) continue;
    std::string key = cache_->keyOf(subjects[i].path, subjects[i].text, furtherKeyOf(subjects[i], lines));
    if (auto known = cache_->find(key)) out[i] = *known, ++cached_;
    else tasks.push_back({i, key, {argumentsFor(subjects[i], lines), "reading " + subjects[i].path}});
  }
  return tasks;
}

std::vector<LintSession::Task> LintSession::tasksTogether(const std::vector<LintSubject>& subjects,
                                                          std::vector<LintedFile>& out) {
  // A text that could not be read says nothing: what the file said before stands.
  for (auto& file : out) stands(file);
  std::vector<RecordedFile> files;
  for (auto& [path, record] : records_) files.push_back({path, record});
  std::map<std::string, Surroundings> known;
  auto all = surroundingsOf(files);
  for (std::size_t i = 0; i < files.size(); ++i) known[files[i].path] = std::move(all[i]);
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    auto& around = known[subjects[i].path];
    if (around.empty() || !out[i].failure.empty()) continue;
    auto* lines = linesOf(subjects[i]);
    if (lines && !changeOf(subjects[i])) continue;
    Json said = around;
    std::string further =
        furtherKeyOf(subjects[i], lines) + "\n" + said.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string key = cache_->keyOf(subjects[i].path, subjects[i].text, further);
    if (auto result = cache_->find(key)) {
      out[i] = *result;
      continue;
    }
    Json arguments = argumentsFor(subjects[i], lines);
    arguments["surroundings"] = std::move(said);
    tasks.push_back({i, key, {std::move(arguments), "reading " + subjects[i].path}});
  }
  return tasks;
}

void LintSession::run(std::vector<Task> tasks, const std::vector<LintSubject>& subjects,
                      std::vector<LintedFile>& out) {
  if (tasks.empty()) return;
  std::size_t done = 0;
  std::vector<SourceJob> jobs;
  for (auto& t : tasks) jobs.push_back(std::move(t.job));
  pool().run(
      jobs,
      [&](std::size_t job, SourceReply reply) {
        std::size_t i = tasks[job].subject;
        out[i] = resultOf(subjects[i].path, std::move(reply), book_);
        if (isWhatWasRead(subjects[i])) cache_->keep(tasks[job].key, out[i]);
        ++done;
      },
      hooks(jobs.size(), done));
}

std::vector<LintedFile> LintSession::look(const std::vector<LintSubject>& subjects) {
  std::vector<LintedFile> out(subjects.size());
  auto alone = tasksAlone(subjects, out);
  std::set<std::size_t> isRead;
  for (auto& t : alone) isRead.insert(t.subject);
  run(std::move(alone), subjects, out);
  auto again = tasksTogether(subjects, out);
  for (auto& t : again) cached_ -= isRead.insert(t.subject).second;
  run(std::move(again), subjects, out);
  return out;
}

LintedFile resultOf(const std::string& path, SourceReply answer, const Catalogue& book) {
  LintedFile out;
  out.path = path;
  out.findings = std::move(answer.findings);
  if (!answer.reply) {
    auto& where = answer.reply.where;
    bool isElsewhere = !where.empty() && where != path && answer.reply.kind == Reply::Kind::Refused;
    out.failure = isElsewhere ? where + ": " + answer.reply.reason : answer.reply.reason;
    return out;
  }
  const Json& body = answer.reply.body;
  body.at("tier").get_to(out.tier), body.at("errors").get_to(out.errors);
  body.at("errorCount").get_to(out.errorCount), body.at("missing").get_to(out.missing);
  body.at("dependencies").get_to(out.dependencies), body.at("kernels").get_to(out.kernels);
  body.at("brokenKernels").get_to(out.brokenKernels), body.at("suppressed").get_to(out.suppressed);
  body.at("record").get_to(out.record), body.at("searched").get_to(out.searched);
  body.at("hostErrorCount").get_to(out.hostErrorCount);
  for (auto& u : body.at("unusedSuppressions"))
    if (auto f = unusedSuppression(path, u, book)) out.findings.push_back(std::move(*f));
  return out;
}

}  // namespace kadvise
