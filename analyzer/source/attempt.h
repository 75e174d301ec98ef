// An attempt that may end the process which makes it. It leaves a mark while it lasts; a mark that is found
// later is of one that was cut short: by a crash, or because its run was stopped.
#pragma once

#include <filesystem>
#include <string>

namespace kadvise::source {

class Attempt {
 public:
  // mark: a file of which only one process at a time takes care.
  explicit Attempt(std::filesystem::path mark);
  // It is not worth making again today: it ended a process of a run that goes on, or has been cut short three
  // times. The end of a run says nothing about the attempt, since whoever stops it stops all of its
  // processes.
  bool isHopeless() const;
  void begin() const;
  void end() const;

 private:
  std::filesystem::path mark_;
};

// What a process is known by for as long as it lives, and by no other later; "" where there is none.
std::string lifeOf(long process);

}  // namespace kadvise::source
