"""The files that prove a certificate: for people, for programs, and the script that recomputes it."""

import json
from importlib.resources import files

from rrcore.promise.mechanism_file import MechanismFile


def check_script() -> str:
    """Return the script that recomputes a certificate from its mechanism file.

    The script needs only Python 3.9 or newer.

    Examples
    --------
    >>> "rrcore" in check_script()
    False
    """
    return (files("rrcore.promise") / "check.py").read_text("utf-8")


def certificate_files(file: MechanismFile) -> dict[str, str]:
    """Return the files of the certificate by name.

    The files are a page for people, a file for programs, and a script that recomputes the certificate.
    """
    names, certificate = file.schema.names, file.certificate
    claim = certificate.to_dict(names) | {"sha256": file.sha256}
    text = f"{certificate.text(names, exact=True)}\nsha256 {file.sha256}\n"
    return {
        "certificate.txt": text,
        "certificate.json": json.dumps(claim, ensure_ascii=False, indent=1),
        "check.py": check_script(),
    }
