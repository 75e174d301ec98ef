// Places that rules report, and what a reader gets of them: one finding for each function and rule, the
// repeats as related places.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/core/rule_page.h"
#include "analyzer/core/types.h"
#include "analyzer/source/suppressions.h"
#include "analyzer/source/unit.h"

namespace kadvise::source {

// A place as a rule reports it.
struct Site {
  clang::SourceRange range;
  const clang::FunctionDecl* function = nullptr;  // around it; null outside of all
  std::string message;
  std::vector<Fix> fixes;
  std::vector<Location> related;  // each with its note
  std::string confidence;         // where it is not that of the rule
  std::optional<Price> price;
  bool standsAlone = false;  // never folded into another finding of the function
};

// Lines of the file, both ends included.
struct LineRange {
  int first = 0, last = 0;
};

class Findings {
 public:
  // Instances of a template, and several passes, report the same place again: it counts once.
  void add(const Unit&, const RulePage&, Site);
  void add(const RulePage& page, Site site) { add(*unit_, page, std::move(site)); }
  void lookAt(const Unit& unit) { unit_ = &unit; }

  // Takes out what the text had already, by rule and line as written, and what touches none of the lines.
  void keepNew(const std::vector<LineRange>& lines, const Findings* before);
  // Takes out what comments suppress.
  void suppress(Suppressions&);
  // Sorted by place.
  std::vector<Finding> fold() const;

 private:
  struct Place {
    const RulePage* rule = nullptr;
    unsigned offset = 0;
    std::string function;  // with its parameters, so that overloads differ
    Finding finding;
    bool standsAlone = false;
  };
  const Unit* unit_ = nullptr;
  std::vector<Place> places_;
  std::set<std::pair<std::string, unsigned>> seen_;  // rule, offset
};

}  // namespace kadvise::source
