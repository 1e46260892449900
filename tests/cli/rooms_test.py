"""A room uses only rooms below it: the includes of every file, against the order of docs/architecture.md."""

import pathlib
import re
import tempfile
import unittest

import harness

# Lowest first.
ROOMS = ("base", "process", "record", "protocol", "device", "fetch", "host", "simulator", "agent", "environment", "survey", "measure", "compare", "audit",
         "verdict", "reports", "fleet", "sequence", "cli")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"/]+)/[^"]*"', re.MULTILINE)


def upward_includes(root):
    """(file, room included) of every include that points up, or to no room."""
    found = []
    for top in (root / "harness", root / "reports"):
        for path in sorted(top.rglob("*")):
            if path.suffix not in (".h", ".cpp", ".in"):
                continue
            room = "reports" if top.name == "reports" else path.relative_to(top).parts[0]
            for included in INCLUDE.findall(path.read_text()):
                if room not in ROOMS or included not in ROOMS or ROOMS.index(included) > ROOMS.index(room):
                    found.append((str(path.relative_to(root)), included))
    return found


class Rooms(unittest.TestCase):
    def test_no_room_looks_up(self):
        self.assertEqual(upward_includes(harness.SOURCE), [])

    def test_the_test_would_see_it(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "harness/base").mkdir(parents=True)
            (root / "harness/cellar").mkdir()
            (root / "reports").mkdir()
            (root / "harness/base/a.cpp").write_text('#include "base/b.h"\n#include "cli/c.h"\n#include <torch/torch.h>\n')
            (root / "harness/cellar/d.h").write_text('#include "base/b.h"\n')
            (root / "reports/e.cpp").write_text('#include "sequence/f.h"\n#include "verdict/g.h"\n')
            self.assertEqual(upward_includes(root),
                             [("harness/base/a.cpp", "cli"), ("harness/cellar/d.h", "base"), ("reports/e.cpp", "sequence")])

    def test_torch_headers_stay_in_one_file(self):
        including = [path.name for path in (harness.SOURCE / "harness").rglob("*.[ch]*") if "<torch/" in path.read_text(errors="ignore")]
        self.assertEqual(including, ["canaries.cpp"])

    def test_every_room_is_in_the_architecture(self):
        page = (harness.SOURCE / "docs/architecture.md").read_text()
        for path in (harness.SOURCE / "harness").iterdir():
            self.assertIn("`%s`" % path.name, page)


if __name__ == "__main__":
    unittest.main()
