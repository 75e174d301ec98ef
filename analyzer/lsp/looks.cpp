#include "analyzer/lsp/looks.h"

#include <algorithm>
#include <utility>

#include "analyzer/core/error.h"
#include "analyzer/lint/lint_policy.h"
#include "analyzer/lint/lint_session.h"
#include "analyzer/lint/whole_file.h"

namespace kadvise::lsp {
namespace {

constexpr std::size_t kMostBytes = 4u << 20;  // as of the command line
constexpr double kSecondsOfStaleLook = 0.7;   // longer than a look takes mostly, and than starting anew
constexpr double kSecondsOfLentFile = 0.15;   // of which a document that waits is kept waiting
constexpr int kMostDeaths = 1;                // over one text, before it is left alone

LintedFile failed(const Document& d, std::string why) {
  LintedFile out;
  out.path = d.path.string(), out.failure = std::move(why);
  return out;
}

std::vector<const RulePage*> rulesOf(const Catalogue& book) {
  std::vector<const RulePage*> out;
  for (auto& page : book.pages) out.push_back(&page);
  return out;
}

}  // namespace

Looks::Looks(Documents& documents, const Installation& installation, const LookLimits& limits,
             std::filesystem::path workDir, LookHooks hooks)
    : documents_(documents),
      hooks_(std::move(hooks)),
      fast_{Parser(engineProgram(installation.engines, "kadvise-source"), workDir / "fast.log", limits.fast),
            false,
            {}},
      full_{Parser(engineProgram(installation.engines, "kadvise-source"), workDir / "full.log", limits.full),
            true,
            {}} {}

void Looks::want(Document& d, int delayMs, bool full) {
  if (!d.isSource || d.isLost) return;
  // Where something is shown of this very text already, the full look alone says more.
  if (!(full && d.result)) d.fastDue = Clock::now() + std::chrono::milliseconds(delayMs);
  d.wantsFull = full;
}

bool Looks::isAwaited(const Document& d) const {
  return d.isSource && !d.result && (d.fastDue || (fast_.parser.job() && fast_.parser.job()->uri == d.uri));
}

std::size_t Looks::waiting() const {
  std::size_t out = 0;
  for (auto& [uri, d] : documents_.all()) {
    auto isRead = [&](const Lane& lane) { return lane.parser.job() && lane.parser.job()->uri == d.uri; };
    out += d.fastDue || d.wantsFull || isRead(fast_) || isRead(full_);
  }
  return out;
}

std::string Looks::reading() const {
  for (auto* lane : {&fast_, &full_})
    if (auto& job = lane->parser.job(); job && !job->uri.empty()) return job->doing;
  return "";
}

int Looks::msToNext() const {
  int out = -1;
  for (auto& [uri, d] : documents_.all()) {
    if (!d.fastDue || fast_.parser.isBusy()) continue;
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*d.fastDue - Clock::now()).count() + 1;
    int ms = static_cast<int>(std::max<long long>(0, left));
    out = out < 0 ? ms : std::min(out, ms);
  }
  return out;
}

void Looks::addTo(std::vector<pollfd>& fds) const {
  fast_.parser.addTo(fds);
  full_.parser.addTo(fds);
}

void Looks::restart() {
  dropLent();
  fast_.parser.stop(), full_.parser.stop();
  for (auto& [uri, d] : documents_.all()) d.deaths = 0, d.isFull = false, want(d, 0, true);
}

// The one that has waited longest. A full look comes behind the first one of the same text.
Document* Looks::next(bool full) const {
  Document* out = nullptr;
  for (auto& [uri, d] : documents_.all()) {
    bool isDue = full ? d.wantsFull && !d.fastDue && d.result : d.fastDue && *d.fastDue <= Clock::now();
    if (!isDue) continue;
    if (!out || (!full && *d.fastDue < *out->fastDue)) out = &d;
  }
  return out;
}

void Looks::lend(ParserJob job, std::function<void(std::optional<SourceReply>)> done) {
  lentDone_ = std::move(done);
  job.uri.clear();
  full_.parser.start(std::move(job));
}

void Looks::dropLent() {
  if (!lentDone_) return;
  full_.parser.stop();
  std::exchange(lentDone_, {})(std::nullopt);
}

// Where no document is ever looked at in full the process was only for files that were lent.
void Looks::endLending() {
  auto& all = documents_.all();
  bool isOfUse = std::any_of(all.begin(), all.end(), [](auto& entry) { return entry.second.hasFull; });
  if (!isOfUse && !full_.parser.isBusy()) full_.parser.stop();
}

void Looks::dropStale(Lane& lane) {
  auto& job = lane.parser.job();
  if (!job) return;
  if (job->uri.empty()) {
    if (next(true) && lane.parser.seconds() > kSecondsOfLentFile && !lane.parser.isMakingHeaders())
      dropLent();
    return;
  }
  auto* d = documents_.find(job->uri);
  bool isStale = !d || d->generation != job->generation;
  if (!isStale || (!lane.isFull && lane.parser.seconds() <= kSecondsOfStaleLook)) return;
  if (!lane.parser.isMakingHeaders()) lane.parser.stop();
}

void Looks::step() {
  for (auto* lane : {&fast_, &full_}) {
    dropStale(*lane);
    if (lane->parser.job()) {
      ParserJob job = *lane->parser.job();
      if (auto reply = lane->parser.step()) settle(*lane, job, std::move(*reply));
    }
    // Looks that need no parser (excluded files) are over at once.
    while (!lane->parser.isBusy()) {
      auto* d = next(lane->isFull);
      if (!d) break;
      begin(*lane, *d);
    }
  }
}

void Looks::begin(Lane& lane, Document& d) {
  if (lane.isFull) d.wantsFull = false;
  else d.fastDue.reset();
  FileSetup setup;
  try {
    setup = hooks_.setup(d);
  } catch (const std::exception& e) {
    // A folder that is gone, say. Nobody above would take it.
    hooks_.log(d.uri + ": " + e.what());
    d.wantsFull = false;
    return take(lane, d, failed(d, e.what()));
  }
  bool isLong = d.text.bytes().size() > kMostBytes;
  if (setup.isExcluded || isLong) {
    d.wantsFull = false;
    return take(lane, d, failed(d, isLong ? "it is too long to be read while it is edited" : ""));
  }
  d.hasFull = !setup.full.is_null();
  if (!d.hasFull) {
    // Nothing more is to be seen than by the first look, which may have been left out.
    d.wantsFull = false;
    if (lane.isFull) return void(d.fastDue = Clock::now());
  }
  lane.assistant = setup.assistant;
  ParserJob job;
  job.uri = d.uri, job.generation = d.generation;
  job.prepare = lane.isFull ? setup.full : setup.fast;
  job.lint = {{"file", d.path.string()}, {"text", d.text.bytes()}};
  if (!setup.database.empty()) job.lint["database"] = setup.database.string();
  if (!d.surroundings.is_null()) job.lint["surroundings"] = d.surroundings;
  job.doing = "reading " + d.path.filename().string();
  lane.parser.start(std::move(job));
}

void Looks::take(Lane& lane, Document& d, LintedFile result) {
  d.result = std::move(result);
  d.isFull = lane.isFull;
  d.trouble = d.result->failure;
  hooks_.found(d);
}

void Looks::settle(Lane& lane, const ParserJob& job, SourceReply answer) {
  if (job.uri.empty()) return std::exchange(lentDone_, {})(std::move(answer));
  auto* d = documents_.find(job.uri);
  bool isDead = answer.reply.kind == Reply::Kind::Died;
  if (isDead) hooks_.log(answer.reply.reason + ": " + job.uri);
  if (!d || d->generation != job.generation) return;
  if (isDead && !answer.reply.overLimit && d->deaths++ < kMostDeaths) {
    // Killed by somebody else, mostly: once more.
    if (lane.isFull) d->wantsFull = true;
    else d->fastDue = Clock::now();
    return;
  }
  LintedFile result = resultOf(d->path.string(), std::move(answer), hooks_.book);
  if (!result.failure.empty() && lane.isFull) {
    d->trouble = result.failure;  // what the first look has found stands
    return hooks_.found(*d);
  }
  std::vector<LintedFile> files = {std::move(result)};
  try {
    applyLintPolicy(lane.assistant, files);
  } catch (const Error& e) {
    hooks_.log(e.what());
  }
  foldWholeFiles(rulesOf(hooks_.book), files);
  take(lane, *d, std::move(files.front()));
}

}  // namespace kadvise::lsp
