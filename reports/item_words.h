// What stands below an item of the report, in words; each is "" where there is nothing to say. all: the
// proposals of all items.
#pragma once

#include <string>
#include <vector>

#include "reports/grouping.h"

namespace kadvise {

// "takes in 53 proposals for places inside it, not measured by themselves"
std::string partsWords(const Advice&, const std::vector<Advice>& all);
// "its places are made by item 1"
std::string enablerWords(const Advice&, const std::vector<Advice>& all);
// "used at 3 of 5 places; other items took the rest"
std::string sitesTakenWords(const Advice&);
// "instead of item 1, for the same places", "overlaps item 1 at 3 of its 5 places": two items for one place
// cannot both be used there.
std::string rivalWords(const Advice&);
// "one product with the weights joined (level 1, reassociates)"
std::string replacementWords(const Candidate&);
// The other proposals of an item and how they ended, a line each.
std::vector<std::string> otherProposals(const Report&, const Item&, const std::vector<Advice>& all);
// What the user changes in the code, in the words of the rule's page.
std::string howToWrite(const Report&, const std::string& rule);
std::string howToWriteInCpp(const Report&, const std::string& rule);

// Reasons name a candidate by its id; the reader knows the item.
std::string withItemNumbers(std::string text, const std::vector<Advice>& all);
// Under an item its own proposals go by their place there.
std::string withItemNumbers(std::string text, const std::vector<Advice>& all, const Item& own);

// A baseline knows all its findings.
bool isKnownItem(const Report&, const Item&);

}  // namespace kadvise
