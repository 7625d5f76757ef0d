"""The methods, data sources and tasks that only one paper uses, in experiments/<paper>/.

The file experiments/xian2024/methods/given_scores.py is imported under the name
`dpfair_cli.papers.xian2024.methods.given_scores`. The folders of code are those in FOLDERS; in
`models` and `formats` is what the other modules of a paper share.
"""

from __future__ import annotations

from pathlib import Path

from dpfair_cli import paths

# The papers that the installed package carries. Code in the working folder is not imported: who
# runs dpfair in a folder of somebody else wants to read its specs, not to run its code.
FOLDER = paths.shipped("experiments")
__path__ = [str(FOLDER)]

# folder of dpfair_cli -> folder of a paper with such modules
FOLDERS = {
    "algorithms": "methods",
    "datasets": "data",
    "tasks": "tasks",
    "models": "models",
    "formats": "formats",
}


def modules(folder: str) -> list[Path]:
    """The modules of all papers that are like those in a folder of dpfair_cli."""
    # a paper has no layouts
    if folder not in FOLDERS:
        return []
    return list(FOLDER.glob(f"*/{FOLDERS[folder]}/[!_]*.py"))
