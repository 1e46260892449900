"""Prints what wheels that were built here depend on, one requirement a line, extras and markers evaluated for this
Python; runs none of their code. Arguments: WHEEL or WHEEL[EXTRA,EXTRA]."""
import email.parser
import re
import sys
import zipfile

from pip._vendor.packaging.requirements import InvalidRequirement, Requirement

for argument in sys.argv[1:]:
    path, _, extras = re.fullmatch(r"(.*\.whl)(\[(.*)\])?", argument).groups()
    with zipfile.ZipFile(path) as wheel:
        names = [name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
        text = wheel.read(names[0]).decode("utf-8", "replace") if names else ""
    wanted = [""] + [extra.strip() for extra in (extras or "").split(",") if extra.strip()]
    for line in email.parser.HeaderParser().parsestr(text).get_all("Requires-Dist") or []:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            print(f"{path}: {line}", file=sys.stderr)
            continue
        marker, requirement.marker = requirement.marker, None
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in wanted):
            print(" ".join(str(requirement).split()))
