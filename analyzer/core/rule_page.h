// A rule is one Markdown page: prose, a JSON header, its pattern and replacements, and its own examples.
// This file reads and checks the page; compiling the code in it is the business of the engines.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/core/input_spec.h"
#include "analyzer/core/node_query.h"
#include "analyzer/core/types.h"

namespace kadvise {

// One fenced block. role is the word after the language: rule, match, when, replace, fires, silent, ...
struct Fence {
  std::string language, role, text;
  std::map<std::string, std::string> attributes;  // {level=1 exactness=exact domain="..."} after the role
  std::string heading;                            // the nearest heading above, which names an example
  int line = 0;                                   // of the first line of text
};

// An input of a rule's proof: a tensor, or a number or string handed over as it is.
struct CaseValue {
  std::string name;
  std::optional<InputSpec> tensor;
  std::string literal;  // JSON text when there is no tensor
};
// An optional parameter that is not given.
inline bool isAbsent(const CaseValue& v) { return !v.tensor && v.literal == "null"; }

using Case = std::vector<CaseValue>;  // in the order of the pattern's parameters

struct RulePage {
  std::string path;
  std::string id, title;  // "fusion/add-layer-norm"
  Severity severity = Severity::Opportunity;
  std::vector<std::string> tags, dtypes;
  std::vector<std::string> devices;  // "cpu", "cuda": the kinds it is about; empty for all
  std::map<std::string, std::vector<std::string>> dtypesOn;  // of one kind of device, where fewer hold there
  std::vector<Case> cases;
  std::string function;  // the coded rule behind the page, "" for none
  // Of a rule over sources:
  std::string message;                 // of its findings, with ${names} of bound nodes; "": the title
  std::string confidence = "certain";  // certain, likely, possible
  std::string price;            // of its findings: "fp64", what double costs on the target; "" for none
  bool isOff = false;           // unless it is selected by its id
  bool isBehindOthers = false;  // leaves operators that other rules replace until those are decided
  NodeQueries nodes;            // what that rule looks for, where the page says it as data
  std::vector<Fence> fences;    // in the order of the page
  std::map<std::string, std::string> sections;  // heading -> prose

  std::vector<const Fence*> with(const std::string& role) const;
  bool readsModules() const;  // has a pattern or examples in Python
  bool readsSources() const;  // has a matcher or examples in C++
  bool isAbout(const std::string& device) const;
  const std::vector<std::string>& dtypesFor(const std::string& device) const;
};

// The replacement attributes of a `python replace` fence.
struct ReplacementInfo {
  int level = 1;
  Exactness exactness = Exactness::Exact;
  std::string domain, title;
};
ReplacementInfo replacementInfo(const RulePage&, const Fence&);

// The attributes of a `text edit` fence.
struct EditInfo {
  Safety safety = Safety::DisplayOnly;
  std::string title;
};
EditInfo editInfo(const RulePage&, const Fence&);

// Throws Error{"page.md:line", ...} for an unknown key, fence or attribute, a missing section or example.
RulePage parseRulePage(const std::string& path, const std::string& text);

// The page at a path, whoever wrote it. Throws Error also where it cannot be read or is too long.
RulePage readRulePage(const std::string& path);

}  // namespace kadvise
