#include <gtest/gtest.h>

#include "ir/map_test_util.h"

namespace ks::ir {
namespace {

constexpr char kModule[] = R"(; ModuleID = 'LLVMDialectModule'
target triple = "nvptx64"

declare void @f() #0

define ptx_kernel void @k(i32 %0) #0 !dbg !4 {
  %2 = add i32 %0, 1, !dbg !7
  br label %3, !dbg !8

3:                                                ; preds = %1
  %4 = load i32, ptr null, align 4, !dbg !10, !tbaa !99
  #dbg_value(i32 %4, !1, !DIExpression(), !7)
  tail call void @llvm.dbg.value(metadata i32 %4), !dbg !7
  %5 = phi i32 [ 0, %1 ]
  switch i32 %4, label %6 [
    i32 1, label %3
  ], !dbg !9
  store i32 0, ptr null, !dbg !13
  store i32 1, ptr null, !dbg !14
  ret void, !dbg !77
}

attributes #0 = { nounwind }
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "triton")
!1 = !DIFile(filename: "k.py", directory: "/a")
!2 = !DIFile(filename: "/lib/standard.py", directory: "/a")
!3 = !DIFile(filename: "C:\5Cx.py", directory: "")
!4 = distinct !DISubprogram(name: "k", linkageName: "k_link", scope: !1, file: !1, line: 18, unit: !0)
!5 = distinct !DILexicalBlockFile(scope: !4, file: !2, discriminator: 0)
!6 = distinct !DISubprogram(name: "", linkageName: "cdiv", scope: !2, file: !2, line: 30)
!7 = !DILocation(line: 20, column: 28, scope: !4)
!8 = !DILocation(line: 40, column: 22, scope: !5, inlinedAt: !7)
!9 = !DILocation(line: 21, scope: !12)
!10 = distinct !DILocation(line: 41, column: 3, scope: !11, inlinedAt: !8)
!11 = distinct !DILexicalBlock(scope: !6, file: !2, line: 31)
!12 = !DILexicalBlock(scope: !4, line: 5)
!13 = !DILocation(line: 0, scope: !4)
!14 = !DILocation(line: 1, column: 1, scope: !4, inlinedAt: !15)
!15 = !DILocation(line: 2, column: 1, scope: !4, inlinedAt: !14)
)";

TEST(LlirMap, InstructionsAndChains) {
  SourceMap map = map_llir(kModule);
  EXPECT_EQ(at(map, 6), "/a/k.py:18(k)");
  EXPECT_EQ(at(map, 7), "/a/k.py:20:28(k)");
  // Triton's stand-in block is in the kernel itself: the inlined function has no name.
  EXPECT_EQ(at(map, 8), "/lib/standard.py:40:22 < /a/k.py:20:28(k)");
  EXPECT_EQ(at(map, 11), "/lib/standard.py:41:3(cdiv) < /lib/standard.py:40:22 < /a/k.py:20:28(k)");
  EXPECT_EQ(at(map, 12), "-");
  EXPECT_EQ(at(map, 13), "-");
  EXPECT_EQ(at(map, 14), "-");
  for (uint32_t line : {15u, 16u, 17u}) EXPECT_EQ(at(map, line), "/a/k.py:21(k)") << line;
}

TEST(LlirMap, Coverage) {
  SourceMap map = map_llir(kModule);
  // Unmapped: the phi, the circle !14, the missing !77. Unknown: line 0.
  EXPECT_EQ(coverage(map), "7 mapped, 3 unmapped, 1 unknown");
  EXPECT_EQ(map.not_understood, 1u);
}

TEST(LlirMap, InvokeIsOneInstruction) {
  SourceMap map = map_llir(
      "define void @k() {\n"
      "  invoke void @f()\n"
      "          to label %a unwind label %b, !dbg !1\n"
      "  %0 = invoke i32 @f()\n"
      "          to label %a unwind label %b\n"
      "  ret void, !dbg !1\n"
      "}\n"
      "!1 = !DILocation(line: 3, column: 4, scope: !2)\n");
  EXPECT_EQ(at(map, 2), ":3:4");
  EXPECT_EQ(at(map, 4), "-");
  EXPECT_EQ(coverage(map), "3 mapped, 3 unmapped, 0 unknown");  // the header has none either
}

TEST(LlirMap, ScopesInACircle) {
  SourceMap map = map_llir(
      "define void @k() {\n  ret void, !dbg !1\n}\n"
      "!1 = !DILocation(line: 3, column: 4, scope: !2)\n"
      "!2 = !DILexicalBlock(scope: !3, file: !4)\n"
      "!3 = !DILexicalBlock(scope: !2)\n"
      "!4 = !DIFile(filename: \"k.py\", directory: \"\")\n");
  EXPECT_EQ(at(map, 2), "k.py:3:4");
}

}  // namespace
}  // namespace ks::ir
