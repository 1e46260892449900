"""The kept strict JUnit files are valid under the schemas that MPSGATE_JUNIT_XSD names (pytest's junit-10.xsd; more of
them after colons), and the rich ones are well-formed. Exit code 77: skipped, because no schema is at hand."""
import os
import pathlib
import shutil
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
schemas = [path for path in os.environ.get("MPSGATE_JUNIT_XSD", "").split(":") if path]
if not schemas:
    print("MPSGATE_JUNIT_XSD is not set; ci/test sets it")
    sys.exit(77)
if not shutil.which("xmllint"):
    print("xmllint is missing: install libxml2-utils")
    sys.exit(1)

files = sorted((root / "tests/golden").glob("*.junit-strict.xml"))
assert len(files) >= 6, f"only {len(files)} files are kept"


def lint(*arguments):
    return subprocess.run(["xmllint", "--noout", *arguments], stderr=subprocess.PIPE, text=True)


problems = []
for xsd in schemas:
    for path in files:
        result = lint("--schema", xsd, path)
        if result.returncode != 0:
            problems.append(result.stderr)
    # The rich profile goes beyond every schema: one that accepts it checks nothing.
    if lint("--schema", xsd, root / "tests/golden/proceed.junit.xml").returncode == 0:
        problems.append(f"{xsd} accepts the rich profile")
for path in sorted((root / "tests/golden").glob("*.junit.xml")):
    result = lint(path)
    if result.returncode != 0:
        problems.append(result.stderr)
print("\n".join(problems) or f"{len(files)} files are valid under {len(schemas)} schemas")
sys.exit(1 if problems else 0)
