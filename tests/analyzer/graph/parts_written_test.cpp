// Tensors of numbers that are filled part by part: without a write in place, and the same values.
#include "analyzer/graph/parts_written.h"

#include "analyzer/graph/written.h"
#include "tests/analyzer/graph/captures.h"

namespace kadvise::graph {
namespace {

using torch::jit::Module;

bool writes(const Module& m) {
  bool found = false;
  forEachNode(test::graphOf(m)->block(), [&](torch::jit::Node* n) {
    auto* target = writtenBy(n);
    found = found || (target && isTensor(target));
  });
  return found;
}

Module plain(const std::string& body) {
  Module m("__torch__.Plain");
  m.define("def forward(self, x):\n" + body + "\n");
  return m;
}

void expectEqualFor(const std::string& body, const Module& m) {
  auto original = plain(body);
  for (auto dtype : {at::kFloat, at::kBFloat16, at::kDouble, at::kLong})
    for (int rows : {4, 6, 9}) {
      auto x = torch::randint(-5, 5, {rows, rows + 1}).to(dtype);
      auto want = original.forward({x}).toTensor(), have = Module(m).forward({x}).toTensor();
      EXPECT_TRUE(torch::equal(want, have)) << body;
      EXPECT_EQ(want.scalar_type(), have.scalar_type()) << body;
    }
}

TEST(PartsWritten, BecomeNewTensors) {
  for (std::string body : {
           "    m = x.new_zeros([x.size(0), x.size(1)])\n    m[:2, 1:] = 1\n    m[-2:, :-1] = 2\n    return "
           "x + m",
           "    m = torch.zeros_like(x)\n    m[1] = 3\n    m[0, 2] = 4\n    return x + m",
           "    m = torch.ones([x.size(0), x.size(1)], dtype=x.dtype)\n    m[:3].fill_(7)\n"
           "    m[1:2].zero_()\n    return x * m",
           "    m = torch.zeros([x.size(0), x.size(1)], dtype=7)\n    m[::2] = 0.1\n    return x + m",
           "    m = torch.zeros([x.size(0), x.size(1)])\n    m[1:] = torch.arange(x.size(1)) * 0.5\n"
           "    return x + m",
           "    m = torch.zeros([x.size(0)], dtype=11)\n    m[2:] = True\n    return x * m.unsqueeze(1)",
           // coordinates that are counted from 0, as tables of relative positions are
           "    i = torch.arange(x.size(0) * x.size(1)).view([x.size(1), x.size(0)])\n"
           "    m = (i - 3).t().contiguous()\n    m[:, 0] += x.size(0) - 1\n    m[1] *= 5\n    m[2:] -= 2\n"
           "    return x + m",
           // rounded as it was written, and not to the dtype of what is added
           "    m = torch.ones([x.size(0), x.size(1)], dtype=5)\n"
           "    m[1:].mul_(torch.arange(x.size(1), dtype=6) / 3)\n    return x + m",
           // one operand that is made for the write is no number that fills
           "    m = torch.ones([x.size(0), x.size(1)], dtype=4)\n    m[1:].add_(torch.tensor(3))\n    return "
           "x + m",
           "    m = torch.zeros([x.size(0), x.size(1)])\n    if x.size(0) > 4:\n"
           "        k = x.new_zeros([x.size(0), x.size(1)])\n        k[2:] = x.size(1)\n        m = m + k\n"
           "    return x + m",
       }) {
    auto m = test::moduleOf("def forward(self, x):\n" + body);
    EXPECT_FALSE(writes(m)) << body;
    expectEqualFor(body, m);
  }
}

TEST(PartsWritten, StayWritesWhereSomebodyCouldTell) {
  for (std::string body : {
           // data
           "    m = torch.zeros_like(x)\n    m[1:] = x[1:]\n    return m",
           // a view that is kept
           "    m = torch.zeros_like(x)\n    k = m[1]\n    m[:2] = 1\n    return x + k",
           // read in between
           "    m = torch.zeros_like(x)\n    k = m + 1\n    m[:2] = 1\n    k = k + m.exp()\n    m[1:] = 2\n"
           "    return x + m * k",
           // what it was made of is read, too
           "    i = torch.arange(x.size(0) * x.size(1)).view([x.size(0), x.size(1)])\n    m = "
           "i.contiguous()\n"
           "    m[:, 0] += 7\n    return x + m * i",
           // one element is shown several times
           "    m = torch.arange(x.size(1)).unsqueeze(0).expand([x.size(0), x.size(1)])\n    m[0].add_(1)\n"
           "    return x + m",
           // the last part is computed of the whole
           "    m = torch.arange(x.size(1)) * 1.0\n    m[0:9].add_(1.0)\n    m[0:99].mul_(m)\n    return x + "
           "m",
           // one part is computed of another
           "    m = torch.ones_like(x)\n    m[0] += m[1]\n    m[1] += m[0]\n    return x + m",
           // on one way only
           "    m = torch.zeros_like(x)\n    if x.size(0) > 4:\n        m[:2] = 1\n    return x + m",
           // what was written is looked at
           "    m = torch.zeros_like(x)\n    k = m[:2].fill_(1)\n    m[1:] = 2\n    return x + m + k.sum()",
       }) {
    auto m = test::moduleOf("def forward(self, x):\n" + body);
    EXPECT_TRUE(writes(m)) << body;
    expectEqualFor(body, m);
  }
}

int copiesIn(const Module& m) {
  int found = 0;
  forEachNode(test::graphOf(m)->block(),
              [&](torch::jit::Node* n) { found += n->kind() == torch::jit::aten::copy_; });
  return found;
}

TEST(PartsWritten, NothingIsCopiedOntoItself) {
  const std::string alike = "    m = x.clone()\n    m[1:, 0].copy_(m[1:, 0].add_(x[1:, 1]))\n    return m";
  const std::string other = "    m = x.clone()\n    m[1:, 2].copy_(m[1:, 0].add_(x[1:, 1]))\n    return m";
  const std::string maker = "    m = x.clone()\n    m[1:, 2].copy_(m[1:, 2].add(x[1:, 1]))\n    return m";
  for (auto& [body, copies] : {std::pair(alike, 0), std::pair(other, 1), std::pair(maker, 1)}) {
    auto m = test::moduleOf("def forward(self, x):\n" + body);
    EXPECT_EQ(copiesIn(m), copies) << body;
    expectEqualFor(body, m);
  }
}

TEST(PartsWritten, TheCallerMayWriteToTheResult) {
  const std::string body = "    m = torch.zeros_like(x)\n    m[1:] = 1\n    return m";
  auto m = test::moduleOf("def forward(self, x):\n" + body);
  m.forward({torch::ones({4, 5})}).toTensor().fill_(9);
  expectEqualFor(body, m);
}

}  // namespace
}  // namespace kadvise::graph
