"""The kept reports are valid under the published schema, and the schema refuses what no report may be."""
import copy
import json
import pathlib
import sys

import jsonschema  # part of the test environment: its absence is a failure, not a skip

root = pathlib.Path(sys.argv[1])
schema = json.loads((root / "protocols/report.schema.json").read_text())
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)

reports = sorted((root / "tests/golden").glob("*.report.json"))
assert len(reports) >= 6, f"only {len(reports)} reports are kept"
problems = []
for path in reports:
    for error in validator.iter_errors(json.loads(path.read_text())):
        problems.append(f"{path.name}: {error.json_path}: {error.message}")


def refused(what, change):
    report = copy.deepcopy(good)
    change(report)
    if validator.is_valid(report):
        problems.append(f"the schema accepts a report {what}")


good = json.loads((root / "tests/golden/proceed.report.json").read_text())
for member in good:
    refused(f"without {member}", lambda report: report.pop(member))
refused("of another version", lambda report: report.update(report=2))
refused("with a decision of its own", lambda report: report["verdict"].update(decision="maybe"))
refused("that proceeds by rule 4", lambda report: report["verdict"].update(rule=4))
refused("that proceeds before its end", lambda report: report["verdict"].update(finished=False))
refused("that aborts without a reason", lambda report: report["verdict"].update(decision="abort", rule=4))
refused("without scope", lambda report: report["verdict"].pop("scope"))
refused("with exit code 2", lambda report: report["verdict"].update(exit_code=2))
refused("with a step of unknown status", lambda report: report["steps"][0].update(status="green"))
refused("that skips without a reason", lambda report: report["steps"][0].update(status="skipped", reason=""))
refused("with a measurement without unit", lambda report: report["measurements"][0].pop("unit"))
refused("with an unknown cause", lambda report: report["verdict"].update(cause="luck"))

print("\n".join(problems) or f"{len(reports)} reports are valid")
sys.exit(1 if problems else 0)
