"""Add papers (specs and code), replicas and committed journals to the wheel, below `committed`."""

import bz2
import gzip
import lzma
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
# six in a hundred larger than the strongest preset makes journals, in less than half of the time
SMALL = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 4, "pb": 0}]
SPECS = ("experiments/*/*.yaml", "experiments/*/*.csv", "experiments/*/*.md")
OTHERS = (
    "CITATION.cff",
    "experiments/contradictions.yaml",
    "results/audit.csv",
    "results/arithmetic.txt",
    "results/*/rule.json",
    "data/replicas/*.csv.gz",
)


class BuildWithCommitted(build_py):
    """Build the package and copy the committed files, made smaller, into it."""

    def run(self):
        """Build, and copy unless the checkout itself is installed."""
        super().run()
        for file in [] if self.editable_mode else _committed():
            self._copy(
                file, Path(self.build_lib, "dpfair_cli", "committed", file.relative_to(ROOT))
            )

    def get_source_files(self):
        """The files that a source distribution needs."""
        return [
            *super().get_source_files(),
            *(str(file.relative_to(ROOT)) for file in _committed()),
        ]

    def _copy(self, file, target):
        self.mkpath(str(target.parent))
        if file.suffix == ".jsonl":
            packed = lzma.compress(file.read_bytes(), filters=SMALL)
            target.with_name(f"{file.name}.xz").write_bytes(packed)
        elif file.suffix == ".gz":  # a third less
            smaller = bz2.compress(gzip.decompress(file.read_bytes()))
            target.with_suffix(".bz2").write_bytes(smaller)
        else:
            self.copy_file(str(file), str(target))


def _committed():
    """The files; of the results, the journals of specs."""
    files = [file for pattern in (*SPECS, *OTHERS) for file in sorted(ROOT.glob(pattern))]
    code = [file for file in ROOT.glob("experiments/*/*/*.py") if file.parent.name != "tests"]
    specs = ROOT.glob("experiments/*/*.yaml")
    journals = [ROOT / "results" / file.parent.name / file.stem / "runs.jsonl" for file in specs]
    return [*files, *sorted(code), *sorted(file for file in journals if file.is_file())]


setup(cmdclass={"build_py": BuildWithCommitted})
