// What a page says about single nodes, as data: the keys "breaks", "nodes" and "report" of its header. The
// coded rule "graph-break" reads them; which words are tests and facts is its business
// (analyzer/graph/value_facts.cpp and node_facts.cpp), their form is checked here.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise {

// One argument of a node and what must be so about it. Name: of the operator's schema, or a position ("0");
// several names with | between them: any of them.
struct ArgumentTest {
  std::vector<std::string> names;
  std::vector<std::string>
      tests;  // all must hold; "!none" is the opposite of "none", "=-1" compares with a number
};

struct NodeQuery {
  std::vector<std::string> operators;   // "aten::item"; empty: any operator
  std::vector<std::string> tags;        // LibTorch's tags of operators, any of them; empty: not asked for
  std::vector<ArgumentTest> arguments;  // all must hold
  std::vector<std::string> facts;       // of the node as a whole; all must hold
  std::string message;                  // a sentence without its full stop; {op} is the operator's name
  std::vector<std::string> breaks;      // the page's own unless given
};

// What ends at a node that a page reports. "cost" and "numerics" end nothing.
inline constexpr const char* kBreaks[] = {"sync",   "capture", "fusion",  "compile",
                                          "export", "cost",    "numerics"};

struct NodeQueries {
  std::vector<std::string> breaks;
  std::vector<NodeQuery> queries;
  bool once = false;  // "report": "once": one finding for the module, the other places are related to it
};

// Throws Error{"", reason}.
NodeQueries nodeQueriesFrom(const Json& header);

}  // namespace kadvise
