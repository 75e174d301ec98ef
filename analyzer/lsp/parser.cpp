#include "analyzer/lsp/parser.h"

#include <unistd.h>

#include <fstream>

#include "analyzer/lsp/unfinished_headers.h"

namespace kadvise::lsp {
namespace {

// What Clang has grown to over a large file is given back between two texts.
constexpr std::size_t kMostIdleBytes = 260u << 20;

}  // namespace

Parser::Parser(Program program, std::filesystem::path log, EngineLimits limits)
    : program_(std::move(program)), log_(std::move(log)), limits_(limits) {}

double Parser::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since_).count();
}

std::size_t Parser::residentBytes() const {
  if (!engine_ || !engine_->alive()) return 0;
  std::ifstream statm("/proc/" + std::to_string(engine_->pid()) + "/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void Parser::start(ParserJob job) {
  job_ = std::move(job);
  since_ = std::chrono::steady_clock::now();
  findings_.clear();
  if (!engine_ || !engine_->alive()) {
    engine_ = std::make_unique<Engine>(program_, log_, limits_);
    prepared_ = nullptr;
  }
  isPreparing_ = prepared_ != job_->prepare;
  if (isPreparing_) engine_->send("prepare", job_->prepare, "reading the rules", nullptr);
  else ask();
}

void Parser::ask() {
  engine_->send("lint", job_->lint, job_->doing, [this](const std::string& type, const Json& body) {
    if (type == "finding") findings_.push_back(body.get<Finding>());
  });
}

std::optional<SourceReply> Parser::step() {
  if (!job_) return std::nullopt;
  engine_->step();
  if (engine_->busy()) return std::nullopt;
  Reply reply = engine_->take();
  if (isPreparing_ && reply) {
    prepared_ = job_->prepare, isPreparing_ = false;
    ask();
    return std::nullopt;
  }
  if (isPreparing_) prepared_ = nullptr;  // it is not known what it holds now
  isPreparing_ = false;
  job_.reset();
  if (residentBytes() > kMostIdleBytes) stop();
  return SourceReply{std::move(reply), std::move(findings_)};
}

bool Parser::isMakingHeaders() const {
  return job_ && engine_ && lsp::isMakingHeaders(job_->prepare.value("cache", ""), engine_->pid());
}

void Parser::stop() {
  pid_t pid = job_ && engine_ ? engine_->pid() : 0;
  engine_.reset();
  if (pid) forgetUnfinishedHeaders(job_->prepare.value("cache", ""), pid);
  job_.reset();
  isPreparing_ = false;
}

void Parser::addTo(std::vector<pollfd>& fds) const {
  if (!job_ || !engine_) return;
  fds.push_back({engine_->readFd(), POLLIN, 0});
  if (engine_->writeFd() >= 0) fds.push_back({engine_->writeFd(), POLLOUT, 0});
}

}  // namespace kadvise::lsp
