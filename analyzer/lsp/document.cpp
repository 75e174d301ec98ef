#include "analyzer/lsp/document.h"

#include <algorithm>

#include "analyzer/lsp/uri.h"

namespace kadvise::lsp {
namespace {

constexpr const char* kLanguages[] = {"cuda-cpp", "cuda", "cpp"};
constexpr const char* kExtensions[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".inl"};

// A name by which the parser knows the language.
std::filesystem::path nameOfUnsaved(const std::string& language) {
  return language == "cpp" ? "/untitled.cpp" : language.rfind("cuda", 0) == 0 ? "/untitled.cu" : "/untitled";
}

}  // namespace

bool isSourceFile(const std::string& language, const std::filesystem::path& path) {
  auto extension = path.extension();
  return std::any_of(std::begin(kLanguages), std::end(kLanguages), [&](auto* l) { return language == l; }) ||
         std::any_of(std::begin(kExtensions), std::end(kExtensions), [&](auto* e) { return extension == e; });
}

Document& Documents::open(const std::string& uri, const std::string& language, std::int64_t version,
                          std::string text) {
  Document& d = all_[uri] = Document();
  d.uri = uri, d.language = language, d.version = version;
  d.path = pathOf(uri);
  bool isUnsaved = d.path.empty();
  if (isUnsaved) d.path = nameOfUnsaved(language);
  d.text = Text(std::move(text));
  d.generation = ++generation_;
  d.isSource = isSourceFile(language, d.path) && (!isUnsaved || uri.rfind("untitled:", 0) == 0);
  return d;
}

void Documents::change(Document& d, std::int64_t version, const Json& contentChanges) {
  Text text = d.text;  // all of the changes, or none
  bool isLost = d.isLost;
  for (auto& change : contentChanges) {
    auto& with = change.at("text").get_ref<const std::string&>();
    if (auto range = change.find("range"); range != change.end() && !range->is_null())
      text.replace(range->get<Range>(), with);
    else text = Text(with), isLost = false;
  }
  d.text = std::move(text), d.isLost = isLost;
  d.version = version;
  d.generation = ++generation_;
  d.result.reset(), d.isFull = false;
  d.deaths = 0, d.trouble.clear();
}

Document* Documents::find(const std::string& uri) {
  auto it = all_.find(uri);
  return it == all_.end() ? nullptr : &it->second;
}

Document* Documents::findPath(const std::filesystem::path& path) {
  for (auto& [uri, d] : all_)
    if (d.path == path) return &d;
  return nullptr;
}

}  // namespace kadvise::lsp
