"""The lesson as a package for learning platforms, by SCORM 1.2."""

from __future__ import annotations

import io
import zipfile

from rrcore.learn.lesson import lesson

_MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="rr-workbench-learn" version="1.0" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2"
  xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
  <metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
  <organizations default="lesson">
    <organization identifier="lesson">
      <title>Randomized response in ten chapters</title>
      <item identifier="chapters" identifierref="page"><title>Randomized response in ten chapters</title></item>
    </organization>
  </organizations>
  <resources>
    <resource identifier="page" type="webcontent" adlcp:scormtype="sco" href="index.html"><file href="index.html"/></resource>
  </resources>
</manifest>
"""
_BEGAN = (1980, 1, 1, 0, 0, 0)  # the same lesson is the same file, whenever it is made


def scorm_package(question: str = "", *, dashboard: str = "") -> bytes:
    """A zip file to be uploaded to a platform that speaks SCORM 1.2, such as Moodle.

    The platform keeps which chapters were finished and what was guessed, below ``MAX_SUSPEND_DATA`` characters; a learner goes on where
    they left. Sizes stand in the headers of the files, not behind them, since some platforms read packages as a stream.

    Parameters
    ----------
    question, dashboard : as for ``lesson``, which raises InputError

    Examples
    --------
    >>> import io, zipfile
    >>> zipfile.ZipFile(io.BytesIO(scorm_package())).namelist()
    ['imsmanifest.xml', 'index.html']
    """
    out = io.BytesIO()  # of which the position can be set, so that zipfile writes sizes into the headers
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in (("imsmanifest.xml", _MANIFEST), ("index.html", lesson(question, dashboard=dashboard, scorm=True))):
            entry = zipfile.ZipInfo(name, _BEGAN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text.encode("utf-8"))
    return out.getvalue()
