// The rule book: every page below one or more folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/core/error.h"
#include "analyzer/core/rule_page.h"

namespace kadvise {

struct Catalogue {
  std::vector<RulePage> pages;  // sorted by id
  std::vector<Error> errors;    // one for each page that could not be read; the others are usable

  const RulePage* find(const std::string& id) const;
};

// "" for a folder with pages in folders of categories; else what it is, with the folder to name.
std::string whyNoRuleFolder(const std::filesystem::path&);

// Reads every *.md two levels down (category/slug.md), except README.md. A page whose id differs from its
// path or that another page has already is an error of that page.
Catalogue loadCatalogue(const std::vector<std::filesystem::path>& folders);

}  // namespace kadvise
