# Kernels from Python (docs/guide/c_and_python.md): python3 double.py FOLDER, where double.s lies.
import sys

import numpy
import wavesmith

# Assembly on an array. double.s forgets to wait for its load.
source = open(sys.argv[1] + "/double.s").read()
x = numpy.arange(64, dtype=numpy.float32)
try:
    wavesmith.launch(source, [x], grid=1, block=64)
except wavesmith.Fault as fault:
    print(fault)
mended = source.replace("\tv_add_f32", "\ts_waitcnt vmcnt(0)\n\tv_add_f32")
assert wavesmith.check({"k.s": mended}, file=["k.s"]).ok
wavesmith.launch(mended, [x], grid=1, block=64)
assert (x == 2 * numpy.arange(64)).all()
print(wavesmith.predict(mended, [x], grid=1, block=64, gpu="MI300X")["seconds"], "s")

# A generated GEMM on column-major matrices: D = A B.
m, n, k = 100, 70, 40
gemm = wavesmith.gemm(arch="gfx942", a="f16", d="f32", tile="64x64x64", output="gemm.co").files["gemm.co"]
a = numpy.asfortranarray(numpy.random.default_rng(1).integers(-8, 9, (m, k)), dtype=numpy.float16)
b = numpy.asfortranarray(numpy.random.default_rng(2).integers(-8, 9, (k, n)), dtype=numpy.float16)
d = numpy.zeros((m, n), dtype=numpy.float32, order="F")
strides = [numpy.uint64(0)] * 4  # of batches
sizes = [numpy.uint32(size) for size in (m, n, k, m, k, m, m)]  # m n k, lda ldb ldc ldd
wavesmith.launch(gemm, [d, d, a, b, *strides, *sizes, numpy.float32(1), numpy.float32(0)], grid=(2, 2), block=256)
assert (d == a.astype(numpy.float32) @ b.astype(numpy.float32)).all()
