// kadvise-source: reads sources for `kadvise lint`. A file is hostile input: what it does to this process
// costs that file alone.
#include <llvm/Support/thread.h>

#include "analyzer/core/channel.h"
#include "analyzer/source/session.h"

namespace {

// Clang follows a text as deep as it nests, and a sum of a hundred thousand terms is that deep. Only what is
// used of it becomes memory.
constexpr unsigned kStackBytes = 1u << 30;

}  // namespace

int main() {
  int code = 1;
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] {
    kadvise::source::Session session;
    code = kadvise::serve(
        [&](const std::string& verb, const kadvise::Json& arguments, const kadvise::Replies& replies) {
          return session.handle(verb, arguments, replies);
        });
  });
  worker.join();
  return code;
}
