#include "analyzer/lsp/shown.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analyzer/core/file.h"

namespace kadvise::lsp {
namespace {

// Columns count bytes, positions UTF-16 units, in whichever file a related place is.
TEST(RelatedPlaces, AreInUtf16InOtherFiles) {
  std::string other = testing::TempDir() + "kadvise-related.h";
  writeFile(other, "int first;\n/* é𝄞 */ int second;\n");
  Finding finding;
  finding.where.file = "/w/a.cu";
  finding.related.push_back({other, 2, 14, 2, 24, "", "", "here"});
  finding.related.push_back({"/w/not-there.h", 7, 3, 7, 9, "", "", ""});
  Shown shown;
  shown.finding = &finding;
  Catalogue book;
  ClientCan can;
  can.relatedInformation = true;
  Text text("x\n");
  FileTexts others;
  std::string uri = "file:///w/a.cu";
  Json related = diagnosticOf(shown, {book, can, uri, text, others}).at("relatedInformation");
  EXPECT_EQ(related[0]["location"]["range"].get<Range>(), (Range{{1, 10}, {1, 20}}));
  EXPECT_EQ(related[1]["location"]["range"].get<Range>(), (Range{{6, 0}, {6, 0}}));
  std::filesystem::remove(other);
}

}  // namespace
}  // namespace kadvise::lsp
