#!/usr/bin/env python3
"""Generates BLAS kernels for tests/production/blas_test.cpp with hipBLASLt's TensileLite (the last versions that are Python alone), without ROCm.

generate.py --tensilelite FOLDER --out FOLDER --arch gfx942 [--only TEXT]

Needs python3 with yaml, joblib and msgpack, and LLVM 22's clang. Of each row of `kernels` that the generator takes for the target it writes NAME.co and NAME.json:
what a launch has to know beyond the arguments that the code object's metadata name.
"""
import argparse
import contextlib
import io
import json
import os
import sys
from shutil import which

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--tensilelite", required=True, help="hipBLASLt's folder of that name")
parser.add_argument("--out", required=True)
parser.add_argument("--arch", required=True)
parser.add_argument("--only", default="", help="part of a name")
parser.add_argument("--clang", default="clang++-22")
args = parser.parse_args()
sys.path.insert(0, args.tensilelite)

from Tensile.BenchmarkProblems import KernelWriterAssembly, Solution      # noqa: E402
from Tensile.BenchmarkStructs import BenchmarkProcess                     # noqa: E402
from Tensile.Common import globalParameters, validParameters              # noqa: E402
from Tensile.TensileInstructions import TensileInstructions, getGfxName   # noqa: E402

types = {                                                   # A and B, D, sums
    "f16": dict(DataType="h", DestDataType="h", ComputeDataType="s", HighPrecisionAccumulate=True),
    "f16_f32": dict(DataType="h", DestDataType="s", ComputeDataType="s", HighPrecisionAccumulate=True),
    "bf16": dict(DataType="b", DestDataType="b", ComputeDataType="s", HighPrecisionAccumulate=True),
    "bf16_f32": dict(DataType="b", DestDataType="s", ComputeDataType="s", HighPrecisionAccumulate=True),
    "f32": dict(DataType="s", DestDataType="s", ComputeDataType="s"),
    "xf32": dict(DataType="s", DestDataType="s", ComputeDataType="s", F32XdlMathOp="x"),
    "f64": dict(DataType="d", DestDataType="d", ComputeDataType="d"),
    "i8": dict(DataType="i8", DestDataType="i", ComputeDataType="i", HighPrecisionAccumulate=True),
    "fp8_f32": dict(DataType="F8", DestDataType="s", ComputeDataType="s", HighPrecisionAccumulate=True),
    "fp8_f16": dict(DataType="F8", DestDataType="h", ComputeDataType="s", HighPrecisionAccumulate=True),
    "bf8_f32": dict(DataType="B8", DestDataType="s", ComputeDataType="s", HighPrecisionAccumulate=True),
    "fp8bf8_f32": dict(DataType="F8B8", DestDataType="s", ComputeDataType="s", HighPrecisionAccumulate=True),
}
# Matrix instruction by target and type of A and B: m, n, k, blocks.
gfx9 = {"f16": (16, 16, 16, 1), "bf16": (16, 16, 16, 1), "f32": (16, 16, 4, 1), "f64": (16, 16, 4, 1)}
wmma = {t: (16, 16, 16, 1) for t in ("f16", "bf16", "i8")}
instructions = {
    "gfx90a": {**gfx9, "i8": (16, 16, 16, 1)},
    "gfx942": {**gfx9, "i8": (16, 16, 32, 1), "xf32": (16, 16, 8, 1), "fp8": (16, 16, 32, 1), "bf8": (16, 16, 32, 1), "fp8bf8": (16, 16, 32, 1)},
    "gfx1100": wmma, "gfx1101": wmma, "gfx1102": wmma,
    "gfx1200": {**wmma, "fp8": (16, 16, 16, 1), "bf8": (16, 16, 16, 1), "fp8bf8": (16, 16, 16, 1)},
}
instructions["gfx1201"] = instructions["gfx1200"]
wide = {"f16": (32, 32, 8, 1), "bf16": (32, 32, 8, 1), "f32": (32, 32, 2, 1), "xf32": (32, 32, 4, 1)}
blocks = {"f16": (4, 4, 4, 16), "f64": (4, 4, 4, 4)}

tile, tall, flat = (2, 2, 2, 2), (4, 1, 4, 1), (1, 2, 1, 4)  # instructions of a wave, waves of a workgroup, along M and N
many = dict(PrefetchGlobalRead=2, PrefetchLocalRead=1, ScheduleIterAlg=3)
kernels = []                                                # name, types, transposes of A and B, instruction, tile, parameters
for each, depth in (("f16", 32), ("bf16", 32), ("f32", 16), ("xf32", 16), ("f64", 16), ("i8", 64), ("fp8_f32", 64)):
    for trans in ("nn", "nt", "tn", "tt"):
        kernels.append((f"{each}_{trans}", each, trans, None, tile, dict(DepthU=depth, **many)))
for each in ("f16_f32", "bf16_f32"): kernels.append((f"{each}_nt", each, "nt", None, tile, dict(DepthU=32, **many)))
for each in ("fp8_f16", "bf8_f32", "fp8bf8_f32"): kernels.append((f"{each}_tn", each, "tn", None, tile, dict(DepthU=64, **many)))
for each in ("f16", "bf16", "f32", "xf32"): kernels.append((f"{each}_tn_wide", each, "tn", wide, (1, 2, 2, 2), dict(DepthU=32, **many)))
kernels += [
    ("f16_tn_4x4x4", "f16", "tn", blocks, (1, 1, 4, 1), dict(DepthU=16, PrefetchGlobalRead=1)),
    ("f64_nt_4x4x4", "f64", "nt", blocks, (1, 1, 1, 1), dict(DepthU=8)),
    ("f16_tn_nothing_ahead", "f16", "tn", None, tall, dict(DepthU=32, PrefetchGlobalRead=0, PrefetchLocalRead=0, ScheduleIterAlg=1)),
    ("f16_nn_read_wide", "f16", "nn", None, tile, dict(DepthU=32, LocalReadVectorWidth=8, TransposeLDS=1, **many)),
    ("f16_tn_read_wide", "f16", "tn", None, tile, dict(DepthU=64, LocalReadVectorWidth=8, GlobalReadVectorWidthA=8, GlobalReadVectorWidthB=8, **many)),
    ("f16_tn_narrow", "f16", "tn", None, tile, dict(DepthU=32, GlobalReadVectorWidthA=1, GlobalReadVectorWidthB=1, LocalReadVectorWidth=4, **many)),
    ("f16_tn_one_buffer", "f16", "tn", None, tile, {"DepthU": 64, "1LDSBuffer": 1, **many}),
    ("f16_nt_source_swap", "f16", "nt", None, tile, dict(DepthU=32, SourceSwap=1, VectorWidthA=2, VectorWidthB=2, **many)),
    ("f16_nt_remap", "f16", "nt", None, tile, dict(DepthU=32, StoreRemapVectorWidth=4, **many)),
    ("f16_tn_lds_direct", "f16", "tn", None, tile, dict(DepthU=64, DirectToLds=1, AssertSummationElementMultiple=2, LocalReadVectorWidth=4, PrefetchGlobalRead=2, ScheduleIterAlg=3)),
    ("f32_nt_lds_direct", "f32", "nt", None, tile, dict(DepthU=16, DirectToLds=1, PrefetchGlobalRead=2, ScheduleIterAlg=3)),
    ("f16_tn_vgpr_direct", "f16", "tn", None, tall, dict(DepthU=64, DirectToVgprA=1, GlobalReadVectorWidthA=8, GlobalReadVectorWidthB=8, **many)),
    ("f16_tn_vgpr_direct_b", "f16", "tn", None, flat, dict(DepthU=64, DirectToVgprB=1, GlobalReadVectorWidthA=8, GlobalReadVectorWidthB=8, **many)),
    ("bf16_tn_split_atomic", "bf16_f32", "tn", None, tile, dict(DepthU=32, GlobalSplitU=2, GlobalSplitUAlgorithm="SingleBuffer", **many)),
    ("f32_nn_split_atomic", "f32", "nn", None, tile, dict(DepthU=16, GlobalSplitU=3, GlobalSplitUAlgorithm="SingleBuffer", **many)),
    ("f16_tn_split_buffers", "f16", "tn", None, tile, dict(DepthU=32, GlobalSplitU=3, GlobalSplitUAlgorithm="MultipleBuffer", **many)),
    ("f16_tn_split_one_kernel", "f16", "tn", None, tile, dict(DepthU=32, GlobalSplitU=2, GlobalSplitUAlgorithm="MultipleBufferSingleKernel", **many)),
    ("f32_tn_stream_k", "f32", "tn", None, tile, dict(DepthU=16, StreamK=1, GlobalSplitU=0, **many)),
    ("f16_nt_stream_k_two_tile", "f16", "nt", None, tile, dict(DepthU=32, StreamK=3, GlobalSplitU=0, **many)),
    ("f32_tn_local_split", "f32", "tn", None, (1, 1, 1, 1), dict(DepthU=32, WorkGroup=[16, 4, 4], **many)),
    ("f16_nn_stagger", "f16", "nn", None, tile, dict(DepthU=32, StaggerU=4, StaggerUStride=256, WorkGroupMapping=3, **many)),
    ("f32_nn_mac", "f32", "nn", "mac", None, dict(DepthU=8, ThreadTile=[4, 4], WorkGroup=[16, 16, 1], PrefetchGlobalRead=1, ScheduleIterAlg=1)),
    ("f64_nt_mac", "f64", "nt", "mac", None, dict(DepthU=8, ThreadTile=[4, 4], WorkGroup=[16, 16, 1], PrefetchGlobalRead=1, ScheduleIterAlg=1)),
]

isa = next(v for v in globalParameters["SupportedISA"] if getGfxName(v) == args.arch)
clang = which(args.clang)
os.makedirs(args.out, exist_ok=True)
for table in ("AsmCaps", "ArchCaps", "AsmBugs"): globalParameters[table] = {}
assembler = TensileInstructions()
for v in (isa, (0, 0, 0)):
    assembler.init(v, clang)
    for table, get in (("AsmCaps", assembler.getAsmCaps), ("ArchCaps", assembler.getArchCaps), ("AsmBugs", assembler.getAsmBugs)): globalParameters[table][v] = get()
globalParameters.update(AssemblerPath=clang, CurrentISA=isa, SupportedISA=[isa], PrintLevel=0, WorkingPath=os.path.abspath(args.out), PrintSolutionRejectionReason=True)
validParameters["ISA"] = [(0, 0, 0), isa]

facts_of_launch = ["MacroTile0", "MacroTile1", "DepthU", "NumThreads", "WavefrontSize", "GlobalSplitU", "GlobalSplitUAlgorithm", "_GlobalAccumulation", "GlobalSplitUCoalesced",
                   "GlobalSplitUWorkGroupMappingRoundRobin", "StreamK", "StaggerU", "StaggerUMapping", "_staggerStrideShift", "WorkGroupMapping", "WorkGroupMappingXCC", "WorkGroupMappingXCCGroup"]


def generate(name, kind, trans, instruction, shape, parameters):
    """Writes the files; an exception with the generator's reason where it refuses."""
    fork = dict(KernelLanguage="Assembly", GlobalSplitU=1, StaggerU=0, **{k: v for k, v in parameters.items() if k not in ("GlobalSplitU", "StaggerU")})
    fork.update({k: parameters[k] for k in ("GlobalSplitU", "StaggerU") if k in parameters})
    if instruction != "mac":
        m, n, k, b = (instruction or instructions[args.arch])[kind.split("_")[0]]
        fork["MatrixInstruction"] = [m, n, k, b, 1, *shape]
    if args.arch.startswith("gfx1"): fork["WavefrontSize"] = 32
    if args.arch.startswith("gfx11"): fork.update(LocalReadVectorWidth=16, VectorWidthA=1, VectorWidthB=1)     # what its operands take
    problem = dict(OperationType="GEMM", TransposeA=trans[0] == "t", TransposeB=trans[1] == "t", UseBeta=True, Batched=True, **types[kind])
    process = BenchmarkProcess(problem, {"ForkParameters": [{k: [v]} for k, v in fork.items()]})
    solution = Solution({"ProblemType": dict(process.problemType.state), **process[0].constantParams, **{k: v[0] for k, v in process[0].forkParams.items()}})
    if not solution["Valid"]: raise RuntimeError("not valid")
    kernel = solution.getKernels()[0]
    kernel.duplicate = False
    writer = KernelWriterAssembly(Solution.getMinNaming([kernel]), Solution.getSerialNaming([kernel]))
    assembler.init(isa, clang)
    writer.setTensileInstructions(assembler)
    writer._getSingleCodeObjectFile(kernel)
    built = os.path.join(writer.getAssemblyDirectory(), writer.getKernelFileBase(kernel))
    os.replace(built + ".co", os.path.join(args.out, name + ".co"))
    facts = dict(name=name, arch=args.arch, type=kind, trans=trans, **{k: kernel._state[k] for k in facts_of_launch})
    with open(os.path.join(args.out, name + ".json"), "w") as f: json.dump(facts, f, indent=1)


for row in kernels:
    name = f"{args.arch}_{row[0]}"
    if args.only not in name: continue
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said): generate(name, *row[1:])
        print(name, flush=True)
    except (Exception, SystemExit) as e:
        reason = said.getvalue().strip().splitlines()[-1:] or [""]
        print(f"{name}: not for this target: {type(e).__name__} {e} {reason[0]}", file=sys.stderr, flush=True)
