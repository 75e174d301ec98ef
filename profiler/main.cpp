// kadvise-measure: the one program that runs the user's module on purpose. Speaks the protocol of
// analyzer/core/messages.schema.json; verbs open, trace, compare, component,
// profile, count, freeze, graph, bench, doctor.
#include "analyzer/core/channel.h"
#include "analyzer/core/error.h"
#include "profiler/compare.h"
#include "profiler/component.h"
#include "profiler/count.h"
#include "profiler/doctor.h"
#include "profiler/failure.h"
#include "profiler/forked.h"
#include "profiler/levels.h"
#include "profiler/operator_bench.h"
#include "profiler/profile.h"
#include "profiler/session.h"
#include "profiler/trace.h"

namespace {

using kadvise::Json;

Json answer(kadvise::Session& session, const std::string& verb, const Json& arguments,
            const kadvise::Replies& replies) {
  if (verb == "open") return kadvise::open(session, arguments);
  if (verb == "trace") return kadvise::trace(session, arguments, replies);
  if (verb == "compare") return kadvise::compare(session, arguments, replies);
  if (verb == "component") return kadvise::component(session, arguments, replies);
  if (verb == "profile") return kadvise::profile(session, arguments, replies);
  if (verb == "count") return kadvise::count(session, arguments, replies);
  if (verb == "freeze") return kadvise::freeze(session, arguments, replies);
  if (verb == "graph") return kadvise::compareGraph(session, arguments, replies);
  if (verb == "bench") return kadvise::bench(session, arguments, replies);
  if (verb == "doctor") return kadvise::doctor(session, arguments, replies);
  throw kadvise::Error("measure", "does not know the verb " + verb);
}

}  // namespace

int main() {
  kadvise::watchForForks();
  kadvise::Session session;
  return kadvise::serve([&](const std::string& verb, const Json& arguments, const kadvise::Replies& replies) {
    // LibTorch's exceptions end here, as one sentence.
    try {
      return answer(session, verb, arguments, replies);
    } catch (const kadvise::Error&) {
      throw;
    } catch (const std::exception& e) {
      throw kadvise::Error(verb, kadvise::reasonOf(e));
    }
  });
}
