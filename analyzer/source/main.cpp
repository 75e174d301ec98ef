// kadvise-source: reads sources for `kadvise lint`. A file is hostile input: what it does to this process
// costs that file alone.
#include "analyzer/core/channel.h"
#include "analyzer/source/session.h"

int main() {
  kadvise::source::Session session;
  return kadvise::serve(
      [&](const std::string& verb, const kadvise::Json& arguments, const kadvise::Replies& replies) {
        return session.handle(verb, arguments, replies);
      });
}
