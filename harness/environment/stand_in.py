"""Writes an empty wheel. Arguments: FOLDER NAME VERSION."""
import os
import sys
import zipfile

folder, name, version = sys.argv[1:]
info = f"{name}-{version}.dist-info"
with zipfile.ZipFile(os.path.join(folder, f"{name}-{version}-py3-none-any.whl"), "w") as wheel:
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: mpsgate\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{info}/RECORD", "")
