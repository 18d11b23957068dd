# pip install ./tools/python: the package and, beside it, libwavesmith of the build folder (WAVESMITH_BUILD, else build/).
import os
import pathlib
import re
import shutil

import setuptools
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
library = pathlib.Path(os.environ.get("WAVESMITH_BUILD") or root / "build") / "libwavesmith.so.0"


class WithLibrary(build_py):
    def run(self):
        super().run()
        if not library.exists():
            raise SystemExit(f"wavesmith: {library} does not exist: ./dev build makes it (WAVESMITH_BUILD: the build folder)")
        shutil.copy2(library.resolve(), pathlib.Path(self.build_lib) / "wavesmith" / library.name)


class OfThisMachine(Distribution):
    def has_ext_modules(self):
        return True


setuptools.setup(
    name="wavesmith",
    version=re.search(r"project\(wavesmith VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1],
    description="Generates, checks, simulates and times AMD GPU kernels",
    packages=["wavesmith"],
    python_requires=">=3.9",
    install_requires=["numpy"],
    cmdclass={"build_py": WithLibrary},
    distclass=OfThisMachine,
    options={"build": {"build_base": str(library.parent / "python")}, "egg_info": {"egg_base": str(library.parent)}},
)
