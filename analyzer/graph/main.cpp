// kadvise-graph: all static work on modules. Started by kadvise, never by hand; nothing of a module runs in
// it except what loading and constant folding run.
#include <ATen/Parallel.h>

#include <memory>
#include <set>

#include "analyzer/core/channel.h"
#include "analyzer/core/error.h"
#include "analyzer/core/operator_library.h"
#include "analyzer/graph/campaign.h"
#include "analyzer/graph/check.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {
namespace {

void loadOperators(const Json& libraries) {
  for (auto& path : libraries.get<std::vector<std::string>>()) loadOperatorLibrary(path);
}

struct Session {
  std::unique_ptr<Campaign> campaign;
  Target target;  // of the last match

  Json handle(const std::string& verb, const Json& a, const Replies& replies) {
    if (verb == "load") return load(a, replies);
    if (verb == "check") {
      loadOperators(a.at("opLibraries"));
      return checkPages(a.at("rules").get<std::vector<std::string>>(), a.at("workDir").get<std::string>(),
                        a.value("device", "cpu"), replies);
    }
    if (!campaign) throw Error(verb, "no module is loaded");
    if (verb == "compile") {
      campaign->compile(a.at("rules").get<std::vector<std::string>>());
      return Json::object();
    }
    if (verb == "match") return match(a, replies);
    if (verb == "advance")
      return campaign->advance(a.at("candidates").get<std::vector<std::string>>(),
                               a.at("without").get<std::set<std::string>>(), a.at("path").get<std::string>());
    if (verb == "match-again")
      return campaign->matchAgain(TracedValues::read(a.at("values").get<std::string>()), replies);
    if (verb == "compose") return compose(a);
    throw Error("protocol", "unknown request \"" + verb + "\"");
  }

  Json load(const Json& a, const Replies& replies) {
    loadOperators(a.at("opLibraries"));
    replies.progress("loading the module");
    campaign = std::make_unique<Campaign>(loadSubject(a.at("path").get<std::string>()),
                                          a.at("workDir").get<std::string>(), a.value("bundled", ""));
    return campaign->writeBase();
  }

  Json compose(const Json& a) {
    ComposeRequest request;
    request.candidates = a.at("candidates").get<std::vector<std::string>>();
    request.without = a.value("without", std::set<std::string>());
    request.path = a.at("path").get<std::string>();
    request.withWeights = a.at("weights").get<bool>();
    request.provenance = a.value("provenance", Json::object());
    if (a.contains("cudaGraph"))
      request.cudaGraph = {a["cudaGraph"].at("pages").get<std::vector<std::string>>(), target};
    return campaign->compose(request);
  }

  Json match(const Json& a, const Replies& replies) {
    MatchOptions options;
    options.maxLevel = a.at("maxLevel").get<int>();
    options.allowApproximate = a.at("allowApproximate").get<bool>();
    options.target = {a.at("device").get<std::string>(), a.at("arch").get<int>()};
    options.target.gpu = gpuNamed(a.at("gpu").get<std::string>());
    if (!options.target.gpu) throw Error("gpu", "is none of the hardware table");
    options.mostNear = a.value("mostNear", std::size_t{0});
    target = options.target;
    auto traced = TracedValues::read(a.at("values").get<std::string>());
    return campaign->match(a.at("rules").get<std::vector<std::string>>(), traced, options, replies);
  }
};

}  // namespace
}  // namespace kadvise::graph

int main() {
  // The constants of a module are compared and folded here. Threads that wait for such work between one
  // comparison and the next use up, on a machine with many processors, the computing that a file is allowed.
  at::set_num_threads(1);
  kadvise::graph::Session session;
  return kadvise::serve(
      [&](const std::string& verb, const kadvise::Json& arguments, const kadvise::Replies& replies) {
        // LibTorch's exceptions end here, as one sentence.
        try {
          return session.handle(verb, arguments, replies);
        } catch (const kadvise::Error&) {
          throw;
        } catch (const std::exception& e) {
          throw kadvise::Error(verb, kadvise::graph::briefly(e));
        }
      });
}
