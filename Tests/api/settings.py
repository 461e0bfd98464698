"""The settings of schemathesis for a hub: which ids there are, and what its checks may not ask."""
import json
import sys

known = json.load(open(sys.argv[1]))
# Where the ids of what there is are used; without them most of what is asked for is not found.
ids = {
    "fhirReadPatient": {"path.id": known["patient"]},
    "fhirReadConsent": {"path.id": known["consent"]},
    "fhirReadObservation": {"path.id": known["observation"]},
    "fhirSearchObservations": {"patient": known["patient"]},
    "fhirMissedObservations": {"consent": known["consent"]},
    "readSamples": {"path.id": known["consent"]},
}
# What of the right form may be refused still, as no schema can say why: an address's check digits, a span's order and length, a private network,
# the order of a series' times, a result or service that says nothing, a secret that is no detector's or phone's, a group of nobody or of a kind without a share.
refuse = ["askForConsent", "readSamples", "addWebhook", "requestToken", "sendResult", "publishService", "changeService",
          "reportFlag", "enterValue", "takeBackValue", "snapGroupQuestion", "askAboutGroup", "fhirSearchMeasureReports"]

# Too much at once is refused with 413, whatever it is.
print("[checks.negative_data_rejection]\nexpected-statuses = [400, 401, 403, 404, 406, 409, 413, 429]\n")
for operation in sorted({*ids, *refuse}):
    print(f'[[operations]]\ninclude-operation-id = "{operation}"')
    if operation in ids:
        print("parameters = {", ", ".join(f'"{name}" = "{value}"' for name, value in ids[operation].items()), "}")
    if operation in refuse:
        print("[operations.checks]\npositive_data_acceptance.enabled = false")
    print()
