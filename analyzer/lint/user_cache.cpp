#include "analyzer/lint/user_cache.h"

#include <cstdlib>

namespace kadvise {
namespace fs = std::filesystem;

fs::path userCacheFolder() {
  if (const char* asked = std::getenv("KADVISE_CACHE_DIR")) return asked;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "kadvise";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "kadvise";
  return {};
}

fs::path preloadFolder() {
  fs::path cache = userCacheFolder();
  return cache.empty() ? cache : fs::absolute(cache).lexically_normal() / "headers";
}

}  // namespace kadvise
