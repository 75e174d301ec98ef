// One child process: its own process group, requests at descriptor 3, messages at 4, all that it prints in a
// log. It ends when its owner ends, however that happens.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kadvise {

struct ChildExit {
  int code = 0;    // of exit(), when signal is 0
  int signal = 0;  // that killed it
};

struct Program {
  std::filesystem::path path;
  std::string libraryPath;  // folders for LD_LIBRARY_PATH, behind those that are there already; "" for none
  std::vector<std::string> arguments;    // behind the program's name
  std::vector<std::string> environment;  // NAME=value, beside our own

  Program(std::filesystem::path path_, std::string libraryPath_ = {})  // implicit: mostly the path is all
      : path(std::move(path_)), libraryPath(std::move(libraryPath_)) {}
};

class Child {
 public:
  // Throws Error when the program cannot be started. The child dies with the calling thread.
  Child(const Program&, const std::filesystem::path& log);
  ~Child();  // kills it, and removes what it had begun to write beside the log (core/file.h)
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int requestFd() const {
    return requestFd_;
  }  // a socket: writing to a dead child is an error code, not SIGPIPE
  int messageFd() const { return messageFd_; }
  pid_t pid() const { return pid_; }
  std::size_t residentBytes() const;
  double computedSeconds() const;  // processor time of all its threads

  std::optional<ChildExit> poll();                   // without waiting
  std::optional<ChildExit> waitFor(double seconds);  // for it to end
  void closeRequests();                              // nothing more will be asked: an engine ends then
  void kill();                                       // the whole group, and waits

 private:
  void closeFds();

  std::filesystem::path folder_;  // of the log
  pid_t pid_ = -1;
  int requestFd_ = -1, messageFd_ = -1;
  std::optional<ChildExit> exit_;
};

std::string words(const ChildExit&);  // "was killed by SIGKILL", "ended with exit code 3"

}  // namespace kadvise
