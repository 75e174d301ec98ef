// The parts of the text report, in the order in which they are read.
#pragma once

#include "reports/grouping.h"
#include "reports/layout.h"
#include "reports/ranking.h"
#include "reports/text.h"

namespace kadvise {

struct TextPage {
  const Report& report;
  const TextStyle& style;
  Layout layout;

  std::size_t shown(std::size_t rows) const;  // of a list: all of it only when verbose
  void writeRest(std::size_t rows);           // how many were not shown
  // How many were not shown because their estimate is nothing to speak of.
  void writeWorthless(std::size_t n, const std::string& noun);
  void writeSnippet(const Location&);  // the user's line
};

inline constexpr int kIndent = 4;  // of what stands below the line of an item

void writeVerdict(TextPage&);
void writeErrors(TextPage&);
void writeAdvice(TextPage&, const std::vector<Item>&);
void writeProposals(TextPage&, const std::vector<Item>&);
void writeReadiness(TextPage&);
void writeGenerated(TextPage&);
void writeCudaGraph(TextPage&);
void writeUnproposed(TextPage&);
void writeSuppressed(TextPage&);
void writeNoClearGain(TextPage&, const std::vector<Item>&);
void writeNotUsed(TextPage&, const std::vector<Item>&);
void writeSearch(TextPage&, const std::vector<Item>&);
void writeRefused(TextPage&);
void writeNotApplicable(TextPage&);
void writeCost(TextPage&);
void writeMethod(TextPage&);
void writeWhyNot(TextPage&);     // a report of its own: of `kadvise why-not`
void writeNearest(TextPage&);    // the same of many rules, a line for each
void writeComponent(TextPage&);  // a report of its own: of `kadvise verify --component`

void writeComparison(TextPage&);  // likewise: of `kadvise report OLD NEW`

void writeProfile(TextPage&);  // likewise: of `kadvise profile`
void writeHealth(TextPage&);   // likewise: of `kadvise doctor`
void writeLevels(TextPage&);   // likewise: of `kadvise levels`
void writeBench(TextPage&);    // likewise: of `kadvise bench`
// What the table of levels says of one of them.
struct LevelCells {
  std::string time, factor, memory, firstCall, outputs, doubt;
};
LevelCells levelCells(const Report&, const LevelRow&);
std::string wholeFigures(const Report&);  // "median call 3.1 ms → 2.8 ms · …"
// Why the medians do not divide to the factor of the headline, which is then the one of a second process; "".
std::string timesNote(const Report&);
// "and 22 MiB that the graphs keep": that memory is allocated once and is part of no call's peak; "".
std::string memoryNote(const Report&);
void writePair(TextPage&);  // likewise: of `kadvise verify A B`

// The command of this run, asking for the file; "" when it cannot be known.
std::string applyCommand(const Report&);
std::string plural(std::size_t n, const std::string& noun);        // "2 sites"
std::string knownMark(const Report&, const std::string& finding);  // " (known)" when the baseline has it
// "estimate: 4 MiB less traffic a call, 1.30x (basis)"; "" without one. For all the sites together.
std::string estimateWords(const Finding*, std::size_t sites);
// "encoder.layer.*.attention": equal layers under one name
std::string withoutNumbers(const std::string& modulePath);
// "model.py:271 in encoder.layer.0, and 11 sites alike"
std::string siteWords(const Location&, std::size_t sites);

}  // namespace kadvise
