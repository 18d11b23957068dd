"""wavesmith from Python: the program's commands as functions, NumPy arrays in and out, no GPU.

    import numpy, wavesmith
    x = numpy.arange(64, dtype=numpy.float32)
    wavesmith.launch(open("double.s").read(), [x], grid=1, block=64)     # x is what the kernel stored

Every operation of libwavesmith (wavesmith.operations()) is a function: wavesmith.gemm(arch="gfx942", output="k.co").
"""

import ctypes as _ctypes
import json as _json
import os as _os
from dataclasses import dataclass as _dataclass
from dataclasses import field as _field

import numpy as _numpy

__all__ = ["Error", "Fault", "InputError", "MachineError", "Result", "call", "launch", "operations", "predict", "version"]


class Error(Exception):
    """One line: what is wrong, where, and what would be legal."""


class InputError(Error, ValueError):
    """The arguments or the files are wrong."""


class MachineError(Error, RuntimeError):
    """Memory, threads, no such device."""


class Fault(Error):
    """A kernel did what hardware would not forgive. `result` is the document of `wavesmith run --json`."""

    def __init__(self, text, result):
        super().__init__(text)
        self.result = result

    def __reduce__(self):  # copies and processes
        return type(self), (str(self), self.result)


@_dataclass
class Result:
    """The result of an operation. `ok` is False after a finding, a fault or a wrong result."""

    ok: bool
    result: object  # the document of --json
    notes: list  # warnings
    files: dict = _field(repr=False)  # those that the operation was given or wrote: arrays of .npy, else bytes


_NO, _BAD_INPUT = 1, 2  # statuses of wavesmith.h


def _load():
    here = _os.path.dirname(_os.path.abspath(__file__))
    build = _os.environ.get("WAVESMITH_BUILD") or _os.path.join(here, "../../../build")
    tried = [_os.path.join(folder, "libwavesmith.so.0") for folder in (here, build, _os.path.join(here, "../../.."))]
    found = [path for path in tried if _os.path.exists(path)]
    try:
        library = _ctypes.CDLL(found[0] if found else "libwavesmith.so.0")
    except OSError as why:
        raise ImportError(f"wavesmith: {why}; looked for it in {' and '.join(tried)}") from None
    text, session, size = _ctypes.c_char_p, _ctypes.c_void_p, _ctypes.c_size_t
    lengths, out = _ctypes.POINTER(_ctypes.c_uint64), _ctypes.POINTER
    for name, result, *arguments in (
        ("version", text), ("operations", text), ("open", session), ("close", None, session),
        ("put", _ctypes.c_int, session, text, text, size),
        ("put_array", _ctypes.c_int, session, text, text, size, lengths, session),
        ("call", _ctypes.c_int, session, text, text),
        ("result", text, session), ("error", text, session), ("notes", text, session),
        ("file_count", size, session), ("file_name", text, session, size),
        ("get", session, session, text, out(size)),
        ("get_array", session, session, text, out(text), out(size), out(lengths)),
    ):  # fmt: skip
        function = getattr(library, "wavesmith_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def version():
    """Of the library."""
    return _library.wavesmith_version().decode()


def operations():
    """By name: {"name", "description", "input": JSON Schema of the arguments}."""
    text = _library.wavesmith_operations()
    if text is None:
        raise MachineError("out of memory")
    return {operation["name"]: operation for operation in _json.loads(text)}


_operations = operations()


def _bits(array):
    """The array with a type that .npy files have; bf16 and fp8 of ml_dtypes as their bits."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind == "b" or (kind not in "fiu" and array.dtype.fields is None and array.dtype.type.__module__ == "ml_dtypes"):
        return array.view(f"u{size}")
    if kind not in "fiu" or size > 8 or not array.dtype.isnative:
        raise InputError(f"an array of {array.dtype.str}, legal: f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8, and ml_dtypes")
    return array


class _Session:
    def __init__(self):
        self.handle = _library.wavesmith_open()
        if not self.handle:
            raise MachineError("out of memory")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _library.wavesmith_close(self.handle)

    def check(self, status):
        error = _library.wavesmith_error(self.handle).decode()
        if status and error:
            raise {_NO: Error, _BAD_INPUT: InputError}.get(status, MachineError)(error)

    def put(self, name, content):
        if not isinstance(name, str):
            raise InputError(f"a file named {name!r}, legal: a string")
        if isinstance(content, str):
            content = content.encode()
        if isinstance(content, (bytes, bytearray, memoryview)):
            content = bytes(content)
            self.check(_library.wavesmith_put(self.handle, name.encode(), content, len(content)))
        elif isinstance(content, (_numpy.ndarray, _numpy.generic)):
            array = _numpy.require(_bits(_numpy.asarray(content)), requirements="C")
            shape = (_ctypes.c_uint64 * array.ndim)(*array.shape)
            type_name = f"{array.dtype.kind}{array.dtype.itemsize}".encode()
            self.check(_library.wavesmith_put_array(self.handle, name.encode(), type_name, array.ndim, shape, array.ctypes.data))
        else:
            raise InputError(f"file '{name}' is a {type(content).__name__}, legal: a NumPy array, bytes, a string")

    def get(self, name):
        size = _ctypes.c_size_t()
        at = _library.wavesmith_get(self.handle, name, size)
        if _ctypes.string_at(at, min(size.value, 6)) != b"\x93NUMPY":
            return _ctypes.string_at(at, size.value)
        type_name, shape = _ctypes.c_char_p(), _ctypes.POINTER(_ctypes.c_uint64)()
        at = _library.wavesmith_get_array(self.handle, name, type_name, size, shape)
        if not at:
            self.check(_BAD_INPUT)
        array = _numpy.empty(shape[: size.value], type_name.value.decode())
        _ctypes.memmove(array.ctypes.data, at, array.nbytes)
        return array

    def files(self):
        names = [_library.wavesmith_file_name(self.handle, i) for i in range(_library.wavesmith_file_count(self.handle))]
        return {name.decode(): self.get(name) for name in names}


def _option(operation, name):
    """A keyword's option: split_k is split-k."""
    known = operation["input"]["properties"]
    dashed = name.replace("_", "-")
    return dashed if name not in known and dashed in known else name


def _plain(value):
    """Numbers of NumPy as JSON has them."""
    if isinstance(value, _numpy.generic):
        return value.item()
    raise InputError(f"a value of type {type(value).__name__}, legal: strings, numbers, True, False, lists of them")


def call(name, files=None, /, **options):
    """Runs an operation. files: by name, NumPy arrays, bytes or text, which options name. Returns a Result."""
    operation = _operations.get(name, {"input": {"properties": {}}})
    arguments = _json.dumps({_option(operation, key): value for key, value in options.items()}, default=_plain)
    with _Session() as session:
        for file, content in (files or {}).items():
            session.put(file, content)
        status = _library.wavesmith_call(session.handle, str(name).encode(), arguments.encode())
        session.check(status)
        notes = _library.wavesmith_notes(session.handle).decode().splitlines()
        result = _json.loads(_library.wavesmith_result(session.handle))
        return Result(status == 0, result, notes, session.files())


def _kernel_arguments(arguments):
    """--buffer and --arg of `wavesmith run`, the files of arrays, and these arrays."""
    buffers, specs, files, arrays = [], [], {}, {}
    for i, argument in enumerate(arguments):
        if isinstance(argument, _numpy.ndarray):
            flat = argument if argument.flags.c_contiguous else argument.T
            if not flat.flags.c_contiguous:
                raise InputError(f"argument {i}: an array with gaps, legal: contiguous, in C or Fortran order")
            same = next((b for b, other in files.items() if _numpy.may_share_memory(flat, other)), None)
            file = same or f"b{i}.npy"
            specs.append(f"ptr:{file[:-4]}")
            if same is None:
                files[file] = flat
                buffers.append(f"b{i}={'inout' if argument.flags.writeable else 'in'}:{file}")
                if argument.flags.writeable:
                    arrays[file] = flat
            elif flat.ctypes.data != files[same].ctypes.data or flat.nbytes != files[same].nbytes:
                raise InputError(f"argument {i}: an array that overlaps another argument, legal: the same memory or none of it")
        elif isinstance(argument, _numpy.generic) and argument.dtype.name in _SCALARS:
            specs.append(f"{_SCALARS[argument.dtype.name]}:{argument.item()!r}")
        elif isinstance(argument, str):
            specs.append(argument)
        else:
            raise InputError(
                f"argument {i} is a {type(argument).__name__}, legal: a NumPy array, a NumPy number of "
                f"{' '.join(_SCALARS)}, or text as `wavesmith run --arg` takes it"
            )
    return buffers, specs, files, arrays


_SCALARS = {"int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "float32": "f32", "float64": "f64"}


def _start(name, kernel, arguments, options):
    buffers, specs, files, arrays = _kernel_arguments(arguments)
    file = "kernel.s" if isinstance(kernel, str) else "kernel.co"
    positional = [file] if name == "run" else file
    extra = options.pop("buffer", [])
    options["buffer"] = buffers + ([extra] if isinstance(extra, str) else list(extra))
    if isinstance(options.get("grid"), (tuple, list)):
        options["grid"] = ",".join(map(str, options["grid"]))
    if isinstance(options.get("block"), (tuple, list)):
        options["block"] = ",".join(map(str, options["block"]))
    return call(name, {file: kernel, **files}, file=positional, arg=specs, **options), arrays


def launch(kernel, arguments, /, **options):
    """Runs a kernel, bytes of a code object or assembly text, on the simulator; options as of `wavesmith run`.

    Arguments in the kernel's order: arrays (their address; afterwards they have what the kernel stored, unless they are
    read-only), NumPy numbers as numpy.uint32(5), text as "u32:5". An array's memory is as it lies, in C or Fortran
    order. Raises Fault. Returns the document of `wavesmith run --json`."""
    answer, arrays = _start("run", kernel, arguments, options)
    if not answer.ok:
        raise Fault(_fault_line(answer.result["fault"]), answer.result)
    for file, array in arrays.items():
        _bits(array)[...] = answer.files[file]
    return answer.result


def _fault_line(fault):
    if isinstance(fault, str):  # of device hip
        return fault
    return ": ".join(filter(None, (fault.get("where"), fault["instruction"], fault["kind"], fault["why"])))


def predict(kernel, arguments, /, **options):
    """The time of such a launch; options as of `wavesmith time`. Returns the document of `wavesmith time --json`."""
    return _start("time", kernel, arguments, options)[0].result


def __getattr__(name):
    operation = _operations.get(name)
    if operation is None:
        raise AttributeError(f"wavesmith has no operation '{name}', legal: {' '.join(_operations)}")

    def function(files=None, /, **options):
        return call(name, files, **options)

    function.__name__ = name
    options = "\n".join(f"{key}: {schema.get('description', '')}" for key, schema in operation["input"]["properties"].items())
    function.__doc__ = f"{operation['description']}. Returns a Result.\n\n{options}"
    return function


def __dir__():
    return sorted([*__all__, *_operations])
