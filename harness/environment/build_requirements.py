"""Prints the build requirements of source archives and folders, one a line; runs none of their code."""
import os
import re
import sys
import tarfile
import zipfile
import zlib

try:
    import tomllib
except ImportError:
    tomllib = None

LIMIT = 1 << 20


def project_file(path):
    if os.path.isdir(path):
        name = os.path.join(path, "pyproject.toml")
        return open(name, "rb").read(LIMIT) if os.path.isfile(name) else b""
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if re.fullmatch(r"[^/]+/pyproject\.toml", name):
                    return archive.open(name).read(LIMIT)
        return b""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and re.fullmatch(r"(\./)?[^/]+/pyproject\.toml", member.name):
                return archive.extractfile(member).read(LIMIT)
    return b""


def requires(data):
    """The list that pip would install before it builds; setuptools and wheel where the project names none."""
    text = data.decode("utf-8", "replace")
    listed = None
    if tomllib:
        try:
            listed = tomllib.loads(text).get("build-system", {}).get("requires")
        except (tomllib.TOMLDecodeError, AttributeError):
            pass
    else:
        section = re.search(r"^\[build-system\](.*?)(^\[|\Z)", text, re.MULTILINE | re.DOTALL)
        values = re.search(r"^requires\s*=\s*\[(.*?)\]\s*$", section.group(1), re.MULTILINE | re.DOTALL) if section else None
        listed = re.findall(r"[\"']([^\"']+)[\"']", values.group(1)) if values else None
    if not isinstance(listed, list):
        return ["setuptools", "wheel"]
    return [" ".join(line.split()) for line in listed if isinstance(line, str)]


found = set()
for path in sys.argv[1:]:
    if path.endswith(".whl"):
        continue
    try:
        found.update(requires(project_file(path)))
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error) as error:
        print(f"{path}: {error}", file=sys.stderr)
print("\n".join(sorted(line for line in found if line and not line.startswith("-"))))
