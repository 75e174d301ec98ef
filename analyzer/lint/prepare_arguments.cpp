#include "analyzer/lint/prepare_arguments.h"

#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/lint/toolkit.h"
#include "analyzer/lint/user_cache.h"

namespace kadvise {
namespace fs = std::filesystem;

Json prepareArguments(const LintOptions& o, const Installation& place,
                      const std::vector<const RulePage*>& rules) {
  Json pages = Json::array();
  for (auto* p : rules) pages.push_back(fs::absolute(p->path).string());
  if (place.headers.empty())
    throw Error("lint", "kadvise's own CUDA headers are missing beside its rules; reinstall it");
  fs::path toolkit = o.headers == "stub" ? fs::path() : findToolkit(o.toolkit);
  if (o.headers == "toolkit" && toolkit.empty())
    throw Error("--headers toolkit", "no CUDA toolkit was found; name it with --toolkit DIR");
  std::error_code ec;
  if (!o.torch.empty() && !fs::exists(o.torch / "include" / "torch", ec))
    throw Error("--torch " + o.torch.string(), "has no include/torch; name the folder of the Python package");
  if (!o.torch.empty() && toolkit.empty())
    throw Error("--torch " + o.torch.string(),
                "torch's headers include a toolkit's, and none was found; name it with --toolkit DIR");
  Json out = {{"rules", pages},
              {"headers", place.headers.string()},
              {"toolkit", toolkit.string()},
              {"torch", o.torch.string()},
              {"cache", preloadFolder().string()},
              {"tier", o.headers},
              {"arch", o.arch}};
  if (!o.gpu.empty()) out["gpu"] = o.gpu;
  return out;
}

}  // namespace kadvise
