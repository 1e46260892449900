"""The kept strict JUnit files are valid under the schema that MPSGATE_JUNIT_XSD names (pytest's junit-10.xsd), and the
rich ones are well-formed. Exit code 77: skipped, because no schema is at hand."""
import os
import pathlib
import shutil
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
xsd = os.environ.get("MPSGATE_JUNIT_XSD")
if not xsd:
    print("MPSGATE_JUNIT_XSD is not set; ci/test sets it")
    sys.exit(77)
if not shutil.which("xmllint"):
    print("xmllint is missing: install libxml2-utils")
    sys.exit(1)

files = sorted((root / "tests/golden").glob("*.junit-strict.xml"))
assert len(files) >= 6, f"only {len(files)} files are kept"
failed = 0
for path in files:
    failed += subprocess.run(["xmllint", "--noout", "--schema", xsd, path]).returncode != 0
for path in sorted((root / "tests/golden").glob("*.junit.xml")):
    failed += subprocess.run(["xmllint", "--noout", path]).returncode != 0
# The rich profile goes beyond the schema: a schema that accepts it checks nothing.
rich = root / "tests/golden/proceed.junit.xml"
failed += subprocess.run(["xmllint", "--noout", "--schema", xsd, rich], stderr=subprocess.DEVNULL).returncode == 0
sys.exit(1 if failed else 0)
