"""Prints the build requirements of source archives and folders, one a line; runs none of their code."""
import io
import os
import re
import sys
import tarfile
import zipfile

try:
    import tomllib
except ImportError:
    tomllib = None


def project_file(path):
    if os.path.isdir(path):
        name = os.path.join(path, "pyproject.toml")
        return open(name, "rb").read() if os.path.exists(name) else b""
    if path.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if re.fullmatch(r"[^/]+/pyproject\.toml", name):
                    return archive.read(name)
        return b""
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and re.fullmatch(r"(\./)?[^/]+/pyproject\.toml", member.name):
                return archive.extractfile(member).read(1 << 20)
    return b""


def requires(data):
    text = data.decode("utf-8", "replace")
    if tomllib:
        try:
            return list(tomllib.load(io.BytesIO(data)).get("build-system", {}).get("requires", []))
        except tomllib.TOMLDecodeError:
            return []
    section = re.search(r"^\[build-system\](.*?)(^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    values = re.search(r"requires\s*=\s*\[(.*?)\]", section.group(1), re.DOTALL) if section else None
    return re.findall(r"[\"']([^\"']+)[\"']", values.group(1)) if values else []


found = {"setuptools", "wheel"}
for path in sys.argv[1:]:
    try:
        found.update(str(line) for line in requires(project_file(path)))
    except (OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        print(f"{path}: {error}", file=sys.stderr)
print("\n".join(sorted(found)))
