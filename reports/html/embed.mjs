// embed.mjs PAGE SOURCE: the built page as a C++ source.
import {readFileSync, writeFileSync} from "node:fs";

const [page, source] = process.argv.slice(2);
const text = readFileSync(page, "utf8");
const kFence = "kadvise_page";
if (text.includes(`)${kFence}"`)) throw new Error(`${page} holds the mark that ends its string`);
// Compilers need not take a literal of more than 65,536 bytes, adjacent ones counted together.
const pieces = text.match(/[^]{1,16000}/gu).map((piece) => `R"${kFence}(${piece})${kFence}"`);
writeFileSync(
  source,
  `// Generated from reports/html by embed.mjs.
#include "reports/page.h"

namespace kadvise {
namespace {
constexpr const char* kPieces[] = {
${pieces.join(",\n")}};
}  // namespace
std::string pageTemplate() {
  std::string page;
  for (auto* piece : kPieces) page += piece;
  return page;
}
}  // namespace kadvise
`,
);
