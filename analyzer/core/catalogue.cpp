#include "analyzer/core/catalogue.h"

#include <algorithm>

#include "analyzer/core/file.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kPageLimitBytes = 1 << 20;

std::vector<fs::path> pagesBelow(const fs::path& folder) {
  std::vector<fs::path> out;
  for (auto& category : fs::directory_iterator(folder)) {
    if (!category.is_directory()) continue;
    for (auto& file : fs::directory_iterator(category.path()))
      if (file.path().extension() == ".md" && file.path().filename() != "README.md")
        out.push_back(file.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

const RulePage* Catalogue::find(const std::string& id) const {
  for (auto& p : pages)
    if (p.id == id) return &p;
  return nullptr;
}

Catalogue loadCatalogue(const std::vector<fs::path>& folders) {
  Catalogue out;
  for (auto& folder : folders) {
    std::error_code ec;
    if (!fs::is_directory(folder, ec)) {
      out.errors.emplace_back(folder.string(), "is not a folder of rule pages");
      continue;
    }
    auto pages = pagesBelow(folder);
    if (pages.empty())
      out.errors.emplace_back(folder.string(), "has no rule pages; they stand as CATEGORY/slug.md below it");
    for (auto& path : pages) {
      try {
        RulePage page = parseRulePage(path.string(), readFile(path, kPageLimitBytes));
        auto expected = path.parent_path().filename().string() + "/" + path.stem().string();
        if (page.id != expected)
          throw Error(path.string() + ":1", "the id is \"" + page.id + "\" but the path says " + expected);
        if (auto* other = out.find(page.id))
          throw Error(path.string() + ":1", "rule " + page.id + " is already in " + other->path);
        out.pages.push_back(std::move(page));
      } catch (const Error& e) {
        out.errors.push_back(e);
      }
    }
  }
  std::sort(out.pages.begin(), out.pages.end(), [](auto& a, auto& b) { return a.id < b.id; });
  return out;
}

}  // namespace kadvise
