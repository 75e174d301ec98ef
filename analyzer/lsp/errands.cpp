#include "analyzer/lsp/errands.h"

#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "analyzer/core/error.h"

namespace kadvise::lsp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAtOnce = 4;
constexpr auto kBetweenReports = std::chrono::seconds(1);
constexpr auto kPatience = std::chrono::seconds(5);  // between asking it to end and making it
constexpr double kLastSeconds = 1;                   // for each, when the server ends
constexpr std::streamoff kMostOutput = 1 << 20;

std::string lastPartOf(const std::filesystem::path& log) {
  std::ifstream in(log, std::ios::binary | std::ios::ate);
  auto size = in ? std::streamoff(in.tellg()) : 0;
  in.seekg(std::max<std::streamoff>(0, size - kMostOutput));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

// Killed at once they would leave their work folders behind.
Errands::~Errands() {
  for (auto& e : running_) cancel(*e);
  for (auto& e : running_) e->child->waitFor(kLastSeconds);
}

void Errands::start(const Json& request, const std::string& title, const Program& program,
                    std::function<ErrandAnswer(const ErrandEnd&)> done) {
  if (running_.size() >= kMostAtOnce) throw Error(title, "other runs are not over yet");
  auto e = std::make_unique<Errand>();
  e->request = request, e->done = std::move(done);
  e->token = "kadvise-" + std::to_string(++count_);
  e->log = workDir_ / (e->token + ".log");
  e->since = e->reported = Clock::now();
  e->child = std::make_unique<Child>(program, e->log);
  if (client_.can.progress) {
    e->hasProgress = true;
    client_.request("window/workDoneProgress/create", {{"token", e->token}});
    client_.notify("$/progress", {{"token", e->token},
                                  {"value", {{"kind", "begin"}, {"title", title}, {"cancellable", true}}}});
  }
  running_.push_back(std::move(e));
}

void Errands::report(Errand& e) {
  auto now = Clock::now();
  if (!e.hasProgress || now - e.reported < kBetweenReports) return;
  e.reported = now;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - e.since).count();
  client_.notify(
      "$/progress",
      {{"token", e.token}, {"value", {{"kind", "report"}, {"message", std::to_string(seconds) + " s"}}}});
}

void Errands::cancel(Errand& e) {
  if (e.isCancelled) return;
  e.isCancelled = true, e.cancelled = Clock::now();
  ::kill(e.child->pid(), SIGTERM);  // it cleans up after itself
}

void Errands::cancelToken(const Json& token) {
  for (auto& e : running_)
    if (token == e->token) cancel(*e);
}

void Errands::cancelRequest(const Json& id) {
  for (auto& e : running_)
    if (e->request == id) cancel(*e);
}

void Errands::end(Errand& e, const ChildExit& exit) {
  std::string output = lastPartOf(e.log);
  std::error_code ec;
  std::filesystem::remove(e.log, ec);
  ErrandAnswer answer;
  if (e.isCancelled) answer.words = answer.refusal = "stopped by the user";
  try {
    if (!e.isCancelled) answer = e.done({exit, output});
  } catch (const std::exception& error) {
    answer.refusal = error.what();
  }
  if (e.hasProgress) {
    Json value = {{"kind", "end"}};
    if (!answer.words.empty()) value["message"] = answer.words;
    client_.notify("$/progress", {{"token", e.token}, {"value", value}});
  }
  auto code = e.isCancelled ? ErrorCode::RequestCancelled : ErrorCode::InternalError;
  if (!answer.refusal.empty()) client_.refuse(e.request, code, answer.refusal);
  else if (!answer.isLater) client_.answer(e.request, std::move(answer.result));
}

void Errands::step() {
  // done() may start another one.
  std::vector<std::unique_ptr<Errand>> over;
  for (auto& e : running_) {
    report(*e);
    if (e->isCancelled && Clock::now() - e->cancelled > kPatience) e->child->kill();
    if (e->child->poll()) over.push_back(std::move(e));
  }
  std::erase(running_, nullptr);
  for (auto& e : over) end(*e, *e->child->poll());
}

}  // namespace kadvise::lsp
