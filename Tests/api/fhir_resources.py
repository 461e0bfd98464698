"""What a hub answers in FHIR, read by a library that is not ours."""
import io
import json
import ssl
import sys
import urllib.request
import zipfile

from fhir.resources.R4B import get_fhir_model_class

known = json.load(open(sys.argv[1]))
base = known["url"] + "/api/v1/fhir/"
trust = ssl.create_default_context(cafile=known["authority"])
checked = {}


def get(address, expect=200):
    address = address if address.startswith("https://") else base + address
    request = urllib.request.Request(address, headers={"Authorization": "Bearer " + known["token"]})
    try:
        answer = urllib.request.urlopen(request, context=trust, timeout=20)
    except urllib.error.HTTPError as error:
        answer = error
    assert answer.status == expect, f"{address}: {answer.status}"
    assert answer.headers.get_content_type() == "application/fhir+json", address
    resource = json.loads(answer.read())
    check(resource)
    return resource


def check(resource):
    name = resource["resourceType"]
    read = get_fhir_model_class(name).model_validate(resource)
    # What the library did not know would be gone.
    again = json.loads(read.model_dump_json())
    assert set(again) == set(resource), f"{name}: {set(resource) ^ set(again)}"
    checked[name] = checked.get(name, 0) + 1
    for entry in resource.get("entry", []):
        if "resource" in entry:
            check(entry["resource"])


get("metadata")
get("Patient/" + known["patient"])
get("Consent/" + known["consent"])
get("Consent")
bundle = get(f"Observation?patient={known['patient']}&_count=20&_sort=date")
get("Observation/" + bundle["entry"][0]["resource"]["id"])
get([link["url"] for link in bundle["link"] if link["relation"] == "next"][0])
for name in known["scalars"]:
    found = get(f"Observation?patient={known['patient']}&code={name}")
    assert len(found["entry"]) == 1, name
    get("Observation/" + found["entry"][0]["resource"]["id"])
get("Observation?patient=nobody")
get("Observation/$events?consent=" + known["consent"])
get(f"Observation/$events?consent={known['consent']}&cursor={'0' * 32}.1.0.1")
for group in known["groups"]:
    reports = get("MeasureReport?request=" + group)
    assert len(reports["entry"]) == 2, group
    get("MeasureReport/" + reports["entry"][0]["resource"]["id"])
get("Patient/nobody", 404)
get("Observation", 400)

# The owner's own download of the same.
request = urllib.request.Request(known["url"] + "/data/export?format=fhir&days=7", headers={"Cookie": known["cookie"]})
archive = zipfile.ZipFile(io.BytesIO(urllib.request.urlopen(request, context=trust, timeout=20).read()))
assert archive.testzip() is None
check(json.loads(archive.read("trackme.fhir.json")))
print("read by fhir.resources:", ", ".join(f"{count} {name}" for name, count in sorted(checked.items())))
