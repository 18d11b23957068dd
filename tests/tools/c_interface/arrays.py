# Arrays and refusals of the Python package.
import sys
import threading

import numpy
import wavesmith

mended = open(sys.argv[1] + "/double.s").read().replace("\tv_add_f32", "\ts_waitcnt vmcnt(0)\n\tv_add_f32")


def refused(kind, words, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except kind as error:
        assert words in str(error) and "\n" not in str(error), str(error)
        return error
    raise AssertionError(f"not refused: {words}")


# A read-only array is not written; a matrix of Fortran order is its memory; gaps are refused.
x = numpy.arange(64, dtype="f4")
x.flags.writeable = False
wavesmith.launch(mended, [x], grid=1, block=64)
assert (x == numpy.arange(64)).all()
y = numpy.asfortranarray(numpy.arange(64, dtype="f4").reshape(4, 16))
before = y.copy()
wavesmith.launch(mended, [y], grid=(1,), block=(64, 1))
assert (y == 2 * before).all()
refused(wavesmith.InputError, "an array with gaps", wavesmith.launch, mended, [numpy.zeros(128, "f4")[::2]], grid=1, block=64)
refused(wavesmith.InputError, "argument 0 is a int", wavesmith.launch, mended, [1], grid=1, block=64)
refused(wavesmith.InputError, "<c8", wavesmith.launch, mended, [numpy.zeros(64, "c8")], grid=1, block=64)
refused(wavesmith.InputError, "overlaps", wavesmith.launch, mended, [y.T, y.T[:2]], grid=1, block=64)
short = refused(wavesmith.Fault, "k", wavesmith.launch, mended, [numpy.zeros(63, "f4")], grid=1, block=64)
assert short.result["fault"]["instruction"].startswith("global_")

refused(wavesmith.InputError, "argument 'tiles' is unknown, legal:", wavesmith.gemm, tiles=1)
refused(wavesmith.InputError, "operation 'serve' is unknown", wavesmith.call, "serve")
refused(wavesmith.InputError, "'../k.s' is not a plain name", wavesmith.check, {"../k.s": ""}, file=["k.s"])
refused(wavesmith.InputError, "file 'k.s' is a int", wavesmith.check, {"k.s": 1}, file=["k.s"])
refused(wavesmith.InputError, "a value of type set", wavesmith.gemm, tile={1})
refused(AttributeError, "no operation 'nothing', legal:", lambda: wavesmith.nothing)

# What an operation writes: arrays as NumPy's, others as bytes; keywords with _ for -.
made = wavesmith.gemm(arch="gfx942", tile="64x64x64", split_k=2, output="g.co", asm="g.s")
assert made.ok and made.files["g.co"].startswith(b"\x7fELF") and made.result["config"]["split_k"] == 2
assert not wavesmith.check({"k.s": open(sys.argv[1] + "/double.s").read()}, file=["k.s"]).ok

# Each type of NumPy goes in and comes out.
for name in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split():
    given = numpy.arange(6).astype(name).reshape(2, 3)
    got = wavesmith.call("explain", {"x.npy": given}, word="in flight").files["x.npy"]
    assert got.dtype == given.dtype and (got == given).all()
try:
    import ml_dtypes

    bf16 = numpy.arange(64).astype(ml_dtypes.bfloat16)
    got = wavesmith.call("explain", {"x.npy": bf16}, word="in flight").files["x.npy"]
    assert (got.view(ml_dtypes.bfloat16) == bf16).all()
except ImportError:
    pass

# Threads are independent.
right = []


def double():
    mine = numpy.arange(64, dtype="f4")
    wavesmith.launch(mended, [mine], grid=1, block=64)
    right.append((mine == 2 * numpy.arange(64)).all())


threads = [threading.Thread(target=double) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert right == [True] * 4
