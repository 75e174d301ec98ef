#include "analyzer/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "analyzer/core/channel.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"

namespace kadvise {
namespace {

constexpr int kFirstFreeFd =
    10;  // above every descriptor that the child gets, so that dup2 overwrites none of ours

constexpr int kFewFds = 256;  // looked at where the kernel has no close_range

// An open descriptor, closed again unless it is released.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

[[noreturn]] void failed(const std::string& program, int error) {
  throw Error(program, std::string("could not be started: ") + std::strerror(error));
}

Fd lifted(int fd, const std::string& program) {
  Fd low(fd);
  int high = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstFreeFd);
  if (high < 0) failed(program, errno);
  return Fd(high);
}

struct Ends {
  Fd read, write;
};

Ends makePipe(const std::string& program) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) failed(program, errno);
  return {lifted(fds[0], program), lifted(fds[1], program)};
}

Ends makeSocket(const std::string& program) {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) failed(program, errno);
  return {lifted(fds[0], program), lifted(fds[1], program)};
}

constexpr const char kLibraryPath[] = "LD_LIBRARY_PATH=";

// Our own environment with the program's folders behind those of the library path.
std::vector<std::string> environmentFor(const Program& program) {
  std::vector<std::string> out;
  std::string path = kLibraryPath;
  for (char** entry = environ; *entry; ++entry) {
    std::string text = *entry;
    if (text.rfind(kLibraryPath, 0) == 0) path = text;
    else out.push_back(std::move(text));
  }
  if (!program.libraryPath.empty()) path += (path == kLibraryPath ? "" : ":") + program.libraryPath;
  if (path != kLibraryPath) out.push_back(path);
  out.insert(out.end(), program.environment.begin(), program.environment.end());
  return out;
}

// As execve wants them.
std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& t : texts) out.push_back(t.data());
  out.push_back(nullptr);
  return out;
}

struct ChildSide {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int in, requests, messages, log, status;
  pid_t parent;
};

// Between fork and exec only async-signal-safe calls are allowed.
[[noreturn]] void become(const ChildSide& side) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != side.parent) ::_exit(127);  // the parent died before prctl
  struct sigaction byDefault = {};
  byDefault.sa_handler = SIG_DFL;
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) ::sigaction(s, &byDefault, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(side.in, 0), ::dup2(side.log, 1), ::dup2(side.log, 2);
  ::dup2(side.requests, kRequestFd), ::dup2(side.messages, kMessageFd);
  // What our own process was given without close-on-exec is not for the engines.
  if (::close_range(kMessageFd + 1, ~0u, CLOSE_RANGE_CLOEXEC) != 0)
    for (int fd = kMessageFd + 1; fd < kFewFds; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::execve(side.program, side.arguments, side.environment);
  int error = errno;
  [[maybe_unused]] auto n = ::write(side.status, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

Child::Child(const Program& program, const std::filesystem::path& log) : folder_(log.parent_path()) {
  std::string path = program.path.string();
  Ends requests = makeSocket(path), messages = makePipe(path), status = makePipe(path);
  Fd in = lifted(::open("/dev/null", O_RDONLY | O_CLOEXEC), path);
  Fd out = lifted(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), path);
  std::vector<std::string> words = {path}, environment = environmentFor(program);
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<char*> arguments = pointersTo(words), entries = pointersTo(environment);
  ChildSide side{.program = path.c_str(),
                 .arguments = arguments.data(),
                 .environment = entries.data(),
                 .in = in.get(),
                 .requests = requests.read.get(),
                 .messages = messages.write.get(),
                 .log = out.get(),
                 .status = status.write.get(),
                 .parent = ::getpid()};
  pid_ = ::fork();
  if (pid_ < 0) failed(path, errno);
  if (pid_ == 0) become(side);
  ::setpgid(pid_, pid_);  // here too: kill() may come before the child has run
  ::close(status.write.release());

  int error = 0;
  ssize_t n;
  do n = ::read(status.read.get(), &error, sizeof error);
  while (n < 0 && errno == EINTR);
  if (n == static_cast<ssize_t>(sizeof error)) {
    kill();
    failed(path, error);
  }
  requestFd_ = requests.write.release();
  messageFd_ = messages.read.release();
}

Child::~Child() {
  kill();
  removeTemporaries(folder_, pid_);
  closeFds();
}

void Child::closeFds() {
  if (requestFd_ >= 0) ::close(std::exchange(requestFd_, -1));
  if (messageFd_ >= 0) ::close(std::exchange(messageFd_, -1));
}

void Child::closeRequests() {
  if (requestFd_ >= 0) ::close(std::exchange(requestFd_, -1));
}

std::size_t Child::residentBytes() const {
  if (exit_) return 0;
  std::ifstream statm("/proc/" + std::to_string(pid_) + "/statm");
  std::size_t total = 0, residentPages = 0;
  statm >> total >> residentPages;
  return residentPages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

double Child::computedSeconds() const {
  if (exit_) return 0;
  std::ifstream stat("/proc/" + std::to_string(pid_) + "/stat");
  std::string text;
  std::getline(stat, text);
  // The name, in brackets, may hold anything; user and system time are the 12th and 13th figure behind it.
  std::istringstream figures(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string skipped;
  for (int i = 0; i < 11; ++i) figures >> skipped;
  double user = 0, system = 0;
  figures >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::optional<ChildExit> Child::poll() {
  if (exit_) return exit_;
  siginfo_t info = {};
  // Without reaping: while the child is a zombie its group's number belongs to nobody else.
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
    return std::nullopt;
  kill();
  return exit_;
}

std::optional<ChildExit> Child::waitFor(double seconds) {
  constexpr double kStep = 0.005;
  for (double waited = 0; waited < seconds; waited += kStep) {
    if (auto ended = poll()) return ended;
    std::this_thread::sleep_for(std::chrono::duration<double>(kStep));
  }
  return poll();
}

void Child::kill() {
  if (pid_ <= 0 || exit_) return;
  ::kill(-pid_, SIGKILL);  // also what it started
  ::kill(pid_, SIGKILL);   // should it not have reached its own group yet
  int status = 0;
  pid_t n;
  do n = ::waitpid(pid_, &status, 0);
  while (n < 0 && errno == EINTR);
  if (n != pid_) exit_ = ChildExit{-1, 0};  // someone else has reaped it
  else if (WIFSIGNALED(status)) exit_ = ChildExit{0, WTERMSIG(status)};
  else exit_ = ChildExit{WEXITSTATUS(status), 0};
}

std::string words(const ChildExit& e) {
  if (!e.signal) return "ended with exit code " + std::to_string(e.code);
  const char* name = ::sigabbrev_np(e.signal);
  return "was killed by " + (name ? std::string("SIG") + name : "signal " + std::to_string(e.signal));
}

}  // namespace kadvise
