#include "analyzer/lint/source_pool.h"

#include <poll.h>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

constexpr int kTickMs = 50;
constexpr double kSecondsOfFile = 60;
constexpr std::size_t kBytesOfFile = std::size_t{4} << 30;

}  // namespace

EngineLimits limitsOfSources(const AssistantOptions& options) {
  return {options.timeLimitSeconds > 0 ? options.timeLimitSeconds : kSecondsOfFile,
          options.memoryLimitBytes ? options.memoryLimitBytes : kBytesOfFile};
}

SourcePool::SourcePool(Program program, Json prepare, EngineLimits limits, std::filesystem::path workDir,
                       int engines)
    : program_(std::move(program)),
      prepare_(std::move(prepare)),
      limits_(limits),
      workDir_(std::move(workDir)),
      most_(static_cast<std::size_t>(engines)) {}

void SourcePool::give(Worker& worker, const SourceJob& job) {
  if (!worker.engine || !worker.engine->alive()) {
    auto log = workDir_ / ("kadvise-source." + std::to_string(&worker - workers_.data()) + ".log");
    worker.engine = std::make_unique<Engine>(program_, log, limits_);
    worker.isPrepared = false;
  }
  if (!worker.isPrepared) {
    worker.engine->send("prepare", prepare_, "reading the rules", nullptr);
    waitFor({worker.engine.get()}, {});
    Reply reply = worker.engine->take();
    if (!reply) throw Error(reply.where, reply.reason);
    worker.isPrepared = true;
  }
  worker.findings.clear();
  worker.engine->send("lint", job.arguments, job.doing, [&worker](const std::string& type, const Json& body) {
    if (type == "finding") worker.findings.push_back(body.get<Finding>());
  });
}

void SourcePool::settle(Worker& worker, const std::function<void(std::size_t, SourceReply)>& done,
                        std::size_t& open) {
  --open;
  done(worker.job, {worker.engine->take(), std::move(worker.findings)});
}

void SourcePool::run(const std::vector<SourceJob>& jobs,
                     const std::function<void(std::size_t, SourceReply)>& done, const WaitHooks& hooks) {
  // Never resized while engines hold a pointer into it.
  if (workers_.size() < std::min(most_, jobs.size())) {
    std::vector<Worker> more(std::min(most_, jobs.size()));
    for (std::size_t i = 0; i < workers_.size(); ++i) more[i] = std::move(workers_[i]);
    workers_ = std::move(more);
  }
  std::size_t next = 0, open = 0;
  std::vector<bool> isBusy(workers_.size(), false);
  while (next < jobs.size() || open > 0) {
    std::vector<pollfd> fds;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      Worker& w = workers_[i];
      if (isBusy[i]) w.engine->step();
      if (isBusy[i] && !w.engine->busy()) settle(w, done, open), isBusy[i] = false;
      if (!isBusy[i] && next < jobs.size()) {
        w.job = next++;
        give(w, jobs[w.job]);
        isBusy[i] = true, ++open;
      }
      if (!isBusy[i]) continue;
      fds.push_back({w.engine->readFd(), POLLIN, 0});
      fds.push_back({w.engine->writeFd(), POLLOUT, 0});
    }
    if (hooks.interrupted && hooks.interrupted()) throw Interrupted{};
    if (hooks.tick) hooks.tick();
    if (open > 0) ::poll(fds.data(), fds.size(), kTickMs);
  }
}

}  // namespace kadvise
