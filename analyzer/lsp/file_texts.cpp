#include "analyzer/lsp/file_texts.h"

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lsp/model_report.h"

namespace kadvise::lsp {
namespace {

constexpr std::size_t kMostBytes = 4u << 20;
constexpr std::size_t kMostFiles = 16;

}  // namespace

const Text* FileTexts::of(const std::filesystem::path& path) {
  std::string stamp = stampOf(path);
  auto known = known_.find(path);
  if (known == known_.end() || known->second.stamp != stamp) {
    if (known_.size() >= kMostFiles) known_.clear();
    known = known_.insert_or_assign(path, Known{stamp, std::nullopt}).first;
    try {
      if (!stamp.empty()) known->second.text.emplace(readFile(path, kMostBytes));
    } catch (const Error&) {
      // It is known as one that cannot be read.
    }
  }
  return known->second.text ? &*known->second.text : nullptr;
}

}  // namespace kadvise::lsp
