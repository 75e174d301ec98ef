#include "analyzer/core/catalogue.h"

#include <algorithm>

namespace kadvise {
namespace fs = std::filesystem;
namespace {

bool isPage(const fs::path& file) { return file.extension() == ".md" && file.filename() != "README.md"; }

std::vector<fs::path> pagesBelow(const fs::path& folder) {
  std::vector<fs::path> out;
  for (auto& category : fs::directory_iterator(folder)) {
    if (!category.is_directory()) continue;
    for (auto& file : fs::directory_iterator(category.path()))
      if (isPage(file.path())) out.push_back(file.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool hasPages(const fs::path& category) {
  auto files = fs::directory_iterator(category);
  return std::any_of(fs::begin(files), fs::end(files), [](auto& f) { return isPage(f.path()); });
}

// As a user would write it: "own" above "own/team", "." above "team".
std::string folderAbove(const fs::path& path) {
  fs::path plain = path.lexically_normal();
  if (plain.filename().empty()) plain = plain.parent_path();  // a slash at the end
  bool isNamed = plain.filename() != "." && plain.filename() != "..";
  fs::path above = isNamed ? plain.parent_path() : plain / "..";
  return above.empty() ? "." : above.string();
}

}  // namespace

const RulePage* Catalogue::find(const std::string& id) const {
  for (auto& p : pages)
    if (p.id == id) return &p;
  return nullptr;
}

std::string whyNoRuleFolder(const fs::path& path) {
  std::error_code ec;
  if (!fs::exists(path, ec)) return "no such folder; name a folder of rule pages";
  if (!fs::is_directory(path, ec))
    return path.extension() == ".md"
               ? "is a page; name the folder above its category: " + folderAbove(fs::path(folderAbove(path)))
               : "is not a folder of rule pages";
  if (!pagesBelow(path).empty()) return "";
  if (hasPages(path)) return "is the folder of a category; name the one above it: " + folderAbove(path);
  return "has no rule pages; they stand as CATEGORY/slug.md below it";
}

Catalogue loadCatalogue(const std::vector<fs::path>& folders) {
  Catalogue out;
  for (auto& folder : folders) {
    if (auto why = whyNoRuleFolder(folder); !why.empty()) {
      out.errors.emplace_back(folder.string(), why);
      continue;
    }
    for (auto& path : pagesBelow(folder)) {
      try {
        RulePage page = readRulePage(path.string());
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
