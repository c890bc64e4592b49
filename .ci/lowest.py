"""Print the lowest versions that pyproject.toml allows, a direct requirement a line, as pip reads.

pip has no option for them: the lines are constraints for it. An extra is named by an argument.
"""

import re
import sys
import tomllib
from pathlib import Path

LOWEST = re.compile(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9][0-9A-Za-z.]*)")


def lowest(requirements: list[str]) -> list[str]:
    """Return a constraint for each requirement that names a lowest version."""
    found = map(LOWEST.match, requirements)
    return [f"{match[1]}=={match[2]}" for match in found if match]


def main() -> None:
    """Print those of the program itself, and of the extras that the arguments name."""
    with Path("pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    wanted = list(project["dependencies"])
    for extra in sys.argv[1:]:
        wanted += project["optional-dependencies"][extra]
    print("\n".join(lowest(wanted)))


if __name__ == "__main__":
    main()
