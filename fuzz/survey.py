"""Survey files."""

import rrcore as rr
from fuzz.documents import checker, seeds
from rrcore.asking import SurveyFile
from rrcore.asking.translation import Translation
from rrcore.promise import MechanismFile, integer_groups

_SCHEMA = rr.load_demo("titanic").schema.select(["Sex", "Age"])
_FILE = MechanismFile(_SCHEMA, integer_groups(rr.build("kronecker", _SCHEMA.sizes, [1.0, 1.0])))
_REGION = rr.Attribute("region", ("north", "south"))
_FRENCH = Translation("Pilote", "Merci.", {"Sex": "Lequel ?"}, {"region": ("nord", "sud")})
_ORDER = ("Age", "region", "Sex")
_SURVEY = SurveyFile(
    _FILE, "Pilot", "Thank you.", {"Sex": "Which?"}, _ORDER, unrandomised=(_REGION,), translations={"fr": _FRENCH}
)

SEEDS = seeds(_SURVEY.to_json())
check = checker(SurveyFile.from_json, _SURVEY.to_json())
