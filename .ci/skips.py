"""Print every skipped test with its reason; fail on one that the committed list does not name."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def skips(report: Path) -> list[tuple[str, str]]:
    """Return the skipped tests of a JUnit report, each with its reason."""
    cases = ET.parse(report).iter("testcase")  # noqa: S314  written by our own pytest
    return [
        (f"{case.get('classname')}::{case.get('name')}", skipped.get("message", ""))
        for case in cases
        for skipped in case.iter("skipped")
    ]


def main() -> int:
    """Compare the report named first with the list named second."""
    report, allowed = Path(sys.argv[1]), Path(sys.argv[2])
    listed = {
        line.strip()
        for line in allowed.read_text().splitlines()
        if line.strip() and not line.startswith("#")
    }
    unexpected = 0
    for test, reason in skips(report):
        known = test in listed
        unexpected += not known
        print(f"skipped{'' if known else ' (not in the list)'}: {test}: {reason}")
    if unexpected:
        print(f"{unexpected} skipped tests are not named in {allowed}")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
