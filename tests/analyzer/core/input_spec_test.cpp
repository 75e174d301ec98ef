#include "analyzer/core/input_spec.h"

#include <gtest/gtest.h>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

TEST(InputSpec, FormsAreReadAndWritten) {
  for (const char* text : {"float32[4,128,512]", "int64[2,128]<1000", "bool[8]", "float32[]",
                           "weight float[64]>0", "float16[0,3]"})
    EXPECT_EQ(toString(parseInputSpec(text)), text);
  auto spec = parseInputSpec(" int64[ 2 , 128 ] < 1000");
  EXPECT_EQ(spec.shape, (std::vector<std::int64_t>{2, 128}));
  EXPECT_EQ(spec.below, 1000);
}

TEST(InputSpec, MistakesAreNamed) {
  const std::pair<const char*, const char*> cases[] = {{"float32", "has no [shape]"},
                                                       {"floot[2]", "is not a dtype"},
                                                       {"float32[-2]", "is not a size"},
                                                       {"float32[2,x]", "is not a size"},
                                                       {"float32[2]<", "is not a size"},
                                                       {"float32[8 3 96]", "parted by commas"},
                                                       {"float32[8,256]<3", "for whole numbers"},
                                                       {"int64[2]<0", "no value is below 0"},
                                                       {"float32[2]garbage", "understood"},
                                                       {"float32[99999999,99999999]", "too many elements"},
                                                       {"float32[99999999999999999999]", "is not a size"}};
  for (auto& [text, wanted] : cases) {
    try {
      parseInputSpec(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(wanted), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << "the message quotes what was given";
    }
  }
}

}  // namespace
}  // namespace kadvise
