#include "inductor/kernel_file.h"

#include <gmock/gmock.h>

#include "inductor/metadata_table.h"

namespace ks::inductor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Kernel only(std::string_view text) {
  const std::vector<Kernel> kernels = read_kernels(text, "k.py");
  EXPECT_EQ(kernels.size(), 1U);
  return kernels.empty() ? Kernel() : kernels[0];
}

constexpr std::string_view kNew = R"(
import triton
@triton_heuristics.cooperative_reduction(
    size_hints={'x': 4, 'r0_': 65536},
    reduction_hint=ReductionHint.OUTER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'XBLOCK': 'constexpr', 'N': 'constexpr'}},
    inductor_meta={'grid_type': 'CooperativeReductionGrid', 'mutated_arg_names': ['in_ptr0'],
                   'num_load': 2, 'num_store': 1, 'num_reduction': 3, 'kernel_num_gb': 1.5e-05,
                   'kernel_flop': 0}
)
@triton.jit
def triton_red_fused_0(in_ptr0, out_ptr0, xnumel, r0_numel, N, XBLOCK : tl.constexpr):
    xnumel = 4
    r0_numel = 65536
    rnumel = r0_numel
    for offset in range(0, r0_numel, 1):  # for all
        tmp = tl.load(in_ptr0)
    # the end

def get_args():
    return 1

def call(args):
    xnumel = 7
)";

TEST(KernelFile, FactsOfANewKernel) {
  const Kernel kernel = only(kNew);
  EXPECT_EQ(kernel.name, "triton_red_fused_0");
  EXPECT_EQ(kernel.path, "k.py");
  EXPECT_EQ(kernel.category, "cooperative_reduction");
  EXPECT_EQ(kernel.size_hints, "{'x': 4, 'r0_': 65536}");
  EXPECT_EQ(kernel.reduction_hint, "OUTER");
  EXPECT_EQ(kernel.numels, (std::map<std::string, int64_t>{{"xnumel", 4}, {"r0_numel", 65536}}));
  EXPECT_DOUBLE_EQ(kernel.num_gb.value(), 1.5e-05);
  EXPECT_FALSE(kernel.flop);
  EXPECT_EQ(kernel.num_load, 2);
  EXPECT_EQ(kernel.num_args, 4);  // N is constexpr by the signature
  EXPECT_THAT(kernel.mutated_args, ElementsAre("in_ptr0"));
  EXPECT_TRUE(kernel.has_harness);
  EXPECT_EQ(kernel.source_hash.size(), 32U);
}

TEST(KernelFile, UpstreamCountsWordsAndDropsTheExponent) {
  EXPECT_THAT(upstream_cells(only(kNew)),
              ElementsAre("triton_red_fused_0", "k.py", "unknown", "{'x': 4, 'r0_': 65536}", "",
                          "7", "1", "0", "2", "0", "6", "4", "", "", "1.500000"));
}

TEST(KernelFile, TorchTwoPointOne) {
  const Kernel kernel = only(
      "@pointwise(size_hints=[1024, 128], filename=__file__, "
      "meta={'signature': {0: '*fp32'}, 'mutated_arg_names': ['p']})\n"
      "@triton.jit\ndef triton_(p, xnumel, ynumel, BLOCK : tl.constexpr):\n    ynumel = 128\n");
  EXPECT_EQ(kernel.size_hints, "[1024, 128]");
  EXPECT_THAT(kernel.mutated_args, ElementsAre("p"));
  EXPECT_EQ(kernel.num_args, 3);
  EXPECT_FALSE(kernel.has_harness);
  const auto cells = upstream_cells(kernel);
  EXPECT_EQ(cells[2], "pointwise");
  EXPECT_EQ(cells[12], "128");
  EXPECT_EQ(cells[14], "");
}

TEST(KernelFile, UserDefinedKernelListsItsConfigs) {
  const Kernel kernel = only(
      "@triton_heuristics.user_autotune(configs=[{'B': 1, 'num_warps': 4}, {'B': 2}],\n"
      "  inductor_meta={'grid_type': 'PrecomputedGrid'})\n"
      "@triton.jit\ndef add(\n    p,  # first, of two\n    q=(1, 2),\n    *, B: "
      "\"tl.constexpr\",\n):\n"
      "    pass\n");
  EXPECT_EQ(kernel.category, "user_autotune");
  EXPECT_EQ(kernel.num_configs, 2);
  EXPECT_EQ(kernel.num_args, 2);
  EXPECT_EQ(upstream_cells(kernel)[10], "");  // its "def" spans lines
}

TEST(KernelFile, ComboKernelHasNoOneNumel) {
  const Kernel kernel = only(
      "@triton_heuristics.foreach(\n    filename=__file__,\n)\n@triton.jit\n"
      "def triton_for_fused_0(a, B : tl.constexpr):\n    if pid < 1:\n        xnumel = 5\n"
      "    else:\n        xnumel = 6\n");
  EXPECT_EQ(kernel.category, "foreach");
  EXPECT_THAT(kernel.numels, IsEmpty());
  EXPECT_EQ(upstream_cells(kernel)[11], "5");
}

constexpr std::string_view kWrapper = R"(
async_compile = AsyncCompile()
# kernel path: /tmp/a/b.py
# Topologically Sorted Source Nodes: [x, y], Original ATen: [aten.add, aten.mul]
# Source Nodes: [y, z], Original ATen: [aten.mul]
triton_poi_0 = async_compile.triton('triton_', '''
@triton_heuristics.pointwise(size_hints={'x': 1}, inductor_meta={'kernel_name': 'a\\'b'})
@triton.jit
def triton_(p):
    s = "\\n"
''', device_str='cuda')
other = async_compile.cpp('no kernel')
# kernel path: None
add_0 = async_compile.triton('add', '''@triton_heuristics.fixed_config(config={})
@triton.jit
def add(p): pass
''')
def call(args):
    fake = async_compile.triton('x', '''no''')
)";

TEST(KernelFile, WrapperGivesEachKernelWithItsComments) {
  const std::vector<Kernel> kernels = read_kernels(kWrapper, "w.py");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "triton_");
  EXPECT_EQ(kernels[0].unique_name, "triton_poi_0");
  EXPECT_EQ(upstream_cells(kernels[0])[0], "triton_poi_0");
  EXPECT_EQ(kernels[0].path, "/tmp/a/b.py");
  EXPECT_EQ(kernels[0].wrapper, "w.py");
  EXPECT_THAT(kernels[0].source, testing::HasSubstr("s = \"\\n\""));
  EXPECT_THAT(kernels[0].aten_ops, ElementsAre("aten.add", "aten.mul"));
  EXPECT_THAT(kernels[0].source_nodes, ElementsAre("x", "y", "z"));
  EXPECT_EQ(kernels[1].path, "");
  EXPECT_EQ(kernels[1].num_configs, 1);
  EXPECT_THAT(kernels[1].aten_ops, IsEmpty());
}

TEST(KernelFile, BlanksAtTheEndsDoNotChangeTheHash) {
  std::string text(kNew);
  const std::string hash = only(text).source_hash;
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? "  \r\n" : std::string(1, c);
  EXPECT_EQ(only("\n\n" + crlf + "\n").source_hash, hash);
  EXPECT_NE(only(text + "x = 1\n").source_hash, hash);
}

TEST(KernelFile, OtherTextHasNone) {
  EXPECT_THAT(read_kernels("", "a.py"), IsEmpty());
  EXPECT_THAT(read_kernels("@triton.jit\ndef f(x):\n    pass\n", "a.py"), IsEmpty());
  EXPECT_THAT(read_kernels("s = '''\n@pointwise(a=1)\ndef f(x): pass\n'''\n", "a.py"), IsEmpty());
  EXPECT_THAT(read_kernels("@pointwise(a=1)\nx = 1\ndef f(x): pass\n", "a.py"), IsEmpty());
  EXPECT_THAT(read_kernels("@triton_heuristics.pointwise(", "a.py"), IsEmpty());
}

// Long enough that anything quadratic would never end.
TEST(KernelFile, HostileTextsCostLinearTime) {
  constexpr size_t kSize = 400'000;
  const auto repeated = [](std::string_view part) {
    std::string text;
    while (text.size() < kSize) text += part;
    return text;
  };
  const std::string head = "@triton_heuristics.pointwise(size_hints=", def = ")\ndef f(";
  for (const std::string_view part : {"[",
                                      "{'a':",
                                      "f(a=",
                                      "'",
                                      "'''",
                                      "\\",
                                      "#",
                                      "(a,",
                                      "a.",
                                      "1 +",
                                      "'a' + ",
                                      "x = (\n",
                                      "-",
                                      "@pointwise(a)\n",
                                      "xnumel = 1\n",
                                      "kernel_num_gb",
                                      "Original ATen: [a",
                                      "\"\"\"\n",
                                      "q = async_compile.triton('a', '''\n",
                                      "# Source Nodes: [a,b], Original ATen: [c]\n"}) {
    const std::string text = repeated(part);
    read_kernels(text, "a.py");
    read_kernels("async_compile.triton\n" + text, "a.py");
    read_kernels(head + text, "a.py");
    for (const Kernel& kernel : read_kernels(head + def + text, "a.py")) upstream_cells(kernel);
    for (const Kernel& kernel : read_kernels(head + def + "a):\n    " + text, "a.py")) {
      upstream_cells(kernel);
    }
  }
}

TEST(KernelFile, TenHostileMegabytes) {
  const std::string text = "@triton_heuristics.pointwise(a=" + std::string(10'000'000, '[');
  EXPECT_THAT(read_kernels(text, "a.py"), IsEmpty());
}

}  // namespace
}  // namespace ks::inductor
