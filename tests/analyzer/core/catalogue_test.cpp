#include "analyzer/core/catalogue.h"

#include <gtest/gtest.h>

#include "tests/analyzer/core/temporary_folder.h"

namespace kadvise {
namespace {

TEST(Catalogue, ShippedPagesAreAllUsable) {
  auto book = loadCatalogue({std::filesystem::path(KADVISE_SOURCE_DIR) / "rules"});
  for (auto& e : book.errors) ADD_FAILURE() << e.what();
  EXPECT_GE(book.pages.size(), 4u);
  EXPECT_NE(book.find("fusion/add-layer-norm"), nullptr);
  EXPECT_EQ(book.find("fusion/nothing"), nullptr);
}

TEST(Catalogue, OneBrokenPageDoesNotHideTheOthers) {
  test::TemporaryFolder folder;
  auto shipped = std::filesystem::path(KADVISE_SOURCE_DIR) / "rules/graph-break/host-read.md";
  std::filesystem::create_directories(folder.path / "graph-break");
  std::filesystem::copy(shipped, folder.path / "graph-break/host-read.md");
  std::filesystem::copy(shipped, folder.path / "graph-break/other-name.md");
  folder.write("fusion/broken.md", "# nothing\n");
  auto book = loadCatalogue({folder.path, folder.path / "missing"});
  ASSERT_EQ(book.pages.size(), 1u);
  ASSERT_EQ(book.errors.size(), 3u);
  EXPECT_NE(std::string(book.errors[0].what()).find("broken.md:1"), std::string::npos);
  EXPECT_NE(std::string(book.errors[1].what()).find("but the path says"), std::string::npos);
}

TEST(Catalogue, TheSamePageTwiceIsAnError) {
  auto rules = std::filesystem::path(KADVISE_SOURCE_DIR) / "rules";
  auto book = loadCatalogue({rules, rules});
  EXPECT_EQ(book.errors.size(), book.pages.size());
}

}  // namespace
}  // namespace kadvise
