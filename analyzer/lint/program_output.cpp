#include "analyzer/lint/program_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

constexpr std::size_t kMostBytes = 256u << 20;

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("pipe", std::strerror(errno));
  }
  ~Pipe() {
    for (int fd : ends)
      if (fd >= 0) ::close(fd);
  }
  void closeWriting() { ::close(ends[1]), ends[1] = -1; }
};

// Both streams at once: a program that fills one while we wait for the other would never end.
void readAll(Pipe& out, Pipe& err, ProgramOutput& into) {
  pollfd fds[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
  std::string* texts[2] = {&into.output, &into.errors};
  for (int open = 2; open > 0;) {
    if (::poll(fds, 2, -1) < 0 && errno != EINTR) return;
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || !fds[i].revents) continue;
      char chunk[1 << 16];
      ssize_t n = ::read(fds[i].fd, chunk, sizeof chunk);
      if (n > 0 && texts[i]->size() < kMostBytes) texts[i]->append(chunk, static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR)) fds[i].fd = -1, --open;
    }
  }
}

// What is given comes instead of what is there under its name.
std::vector<char*> environmentWith(const std::vector<std::string>& given) {
  std::vector<char*> out;
  for (char** at = environ; *at; ++at) {
    std::string_view there = *at;
    auto name = there.substr(0, there.find('=') + 1);
    if (std::none_of(given.begin(), given.end(), [&](auto& g) { return g.starts_with(name); }))
      out.push_back(*at);
  }
  for (auto& g : given) out.push_back(const_cast<char*>(g.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

std::string ProgramOutput::firstErrorLine() const { return errors.substr(0, errors.find('\n')); }

ProgramOutput runProgram(const std::vector<std::string>& words, const std::vector<std::string>& environment) {
  ProgramOutput result;
  Pipe out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], 2);
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> variables = environmentWith(environment);
  pid_t pid = 0;
  int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed) throw Error(words[0], std::string("could not be started: ") + std::strerror(failed));
  out.closeWriting(), err.closeWriting();
  readAll(out, err, result);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return result;
}

}  // namespace kadvise
