/// The paths of ECG strips, as they stand in the document.
extension OpenAPI {
    static let ecgPaths = #"""
            "/api/v1/consents/{id}/ecg": {
              "parameters": [
                {"$ref": "#/components/parameters/consent"},
                {"name": "service", "in": "query", "schema": {"type": "string"}, "description": "For which service, where the consent counts for one"}
              ],
              "get": {
                "operationId": "listECG", "summary": "The ECG strips of a consent that names the kind ecg, without their values", "tags": ["consents"],
                "description": "The newest first. Strips are uploaded by hand: ask again for new ones, neither the stream nor webhooks carry them.",
                "responses": {
                  "200": {"description": "The strips", "content": {"application/json": {"schema": {
                    "type": "array", "items": {"$ref": "#/components/schemas/ECG"}}}}},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "429": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/consents/{id}/ecg/{strip}": {
              "parameters": [
                {"$ref": "#/components/parameters/consent"},
                {"name": "strip", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"}},
                {"name": "service", "in": "query", "schema": {"type": "string"}, "description": "For which service, where the consent counts for one"},
                {"name": "format", "in": "query", "schema": {"enum": ["json", "csv", "fhir"]}}
              ],
              "get": {
                "operationId": "readECG", "summary": "One ECG strip: values of each lead in microvolts", "tags": ["consents"],
                "responses": {
                  "200": {"description": "JSON, CSV, or a FHIR R4 Observation with SampledData", "content": {
                    "application/json": {"schema": {"type": "object"}}, "text/csv": {"schema": {"type": "string"}},
                    "application/fhir+json": {"schema": {"type": "object"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "429": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
        """#

    static let ecgSchema = #"""
              "ECG": {
                "type": "object", "required": ["id", "time", "received", "rate_hz", "duration_s", "leads"],
                "properties": {
                  "id": {"type": "string"}, "time": {"type": "string", "format": "date-time", "description": "Of the first value"},
                  "received": {"type": "string", "format": "date-time"}, "rate_hz": {"type": "number"}, "duration_s": {"type": "number"},
                  "leads": {"type": "array", "items": {"type": "string"}}, "source": {"type": "string"},
                  "said_by_device": {"type": "string", "description": "The device's own words, and no diagnosis"}
                }
              },
        """#
}
