import Exchange
import Vitals

extension OpenAPI {
    /// The codes of Observations, without their systems.
    private static let codes = FHIRKind.all.map { kind in
        let codes = (kind.loinc + [kind.own].compactMap(\.self)).joined(separator: " or ")
        return kind.own == kind.kind.name ? codes : "\(codes) (\(kind.display.lowercased()))"
    }.joined(separator: ", ")
    private static let categories = FHIRKind.Category.allCases.map(\.rawValue).joined(separator: " or ")

    /// The operations of FHIR, as members of `paths`.
    static let fhirPaths = #"""
            "/api/v1/fhir/metadata": {
              "parameters": [{"$ref": "#/components/parameters/format"}],
              "get": {
                "operationId": "fhirMetadata", "summary": "The CapabilityStatement", "tags": ["fhir"], "security": [],
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
            "/api/v1/fhir/Observation": {
              "parameters": [
                {"name": "patient", "in": "query", "required": true, "schema": {"type": "string", "pattern": "^[A-Za-z0-9.-]{1,36}$"}, "description": "The pseudonym, as id or as Patient/ID"},
                {"name": "code", "in": "query", "schema": {"type": "string"}, "description": "\#(codes): with or without their system; several with a comma"},
                {"name": "category", "in": "query", "schema": {"type": "string"}, "description": "\#(categories)"},
                {"name": "date", "in": "query", "explode": true, "schema": {"type": "array", "maxItems": 2, "items": {"type": "string",
                  "pattern": "^(eq|ge|gt|sa|le|lt|eb)?[0-9]{3}[1-9](-(0[1-9]|1[0-2])(-(0[1-9]|1[0-9]|2[0-8])(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])?)?)?)?$"}},
                  "description": "A date or an instant, behind eq, ge, gt, sa, le, lt or eb. A 29th, 30th or 31st that exists is taken too"},
                {"name": "_sort", "in": "query", "schema": {"enum": ["date", "-date"]}, "description": "The newest first when it is left out"},
                {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": 253402300799999}, "description": "Of the link next"},
                {"$ref": "#/components/parameters/count"}, {"$ref": "#/components/parameters/format"}
              ],
              "get": {
                "operationId": "fhirSearchObservations", "tags": ["fhir"],
                "summary": "One patient's Observations, of the granted kinds, page by page",
                "description": "A patient whom the organisation does not know has no Observations. A parameter that is not described here is refused.",
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "401": {"$ref": "#/components/responses/Outcome"},
                  "403": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"},
                  "429": {"$ref": "#/components/responses/Outcome"},
                  "503": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
            "/api/v1/fhir/Observation/$events": {
              "parameters": [
                {"name": "consent", "in": "query", "required": true, "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"}, "description": "As id or as Consent/ID"},
                {"name": "cursor", "in": "query", "schema": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,4096}$"}, "description": "Of the link next or monitor; what came since the consent when it is left out"},
                {"$ref": "#/components/parameters/count"}, {"$ref": "#/components/parameters/format"}
              ],
              "get": {
                "operationId": "fhirMissedObservations", "tags": ["fhir"],
                "summary": "What arrived behind a cursor while the consent held, in the order of arrival",
                "description": "A Bundle of the type history. Nothing comes twice and nothing is left out. Follow the link next while there is one, and keep the link monitor for later. A cursor is exact for 30 days. Where what was missed cannot be told apart by segment, an entry without a resource (response.status 410) names the search that reads it again.",
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "401": {"$ref": "#/components/responses/Outcome"},
                  "404": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"},
                  "429": {"$ref": "#/components/responses/Outcome"},
                  "503": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
            "/api/v1/fhir/Observation/{id}": {
              "parameters": [{"$ref": "#/components/parameters/fhirID"}, {"$ref": "#/components/parameters/format"}],
              "get": {
                "operationId": "fhirReadObservation", "summary": "One Observation", "tags": ["fhir"],
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "401": {"$ref": "#/components/responses/Outcome"},
                  "403": {"$ref": "#/components/responses/Outcome"},
                  "404": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"},
                  "429": {"$ref": "#/components/responses/Outcome"},
                  "503": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
            "/api/v1/fhir/Patient/{id}": {
              "parameters": [{"$ref": "#/components/parameters/fhirID"}, {"$ref": "#/components/parameters/format"}],
              "get": {
                "operationId": "fhirReadPatient", "summary": "A pseudonym, which each organisation has for itself", "tags": ["fhir"],
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "401": {"$ref": "#/components/responses/Outcome"},
                  "404": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"},
                  "429": {"$ref": "#/components/responses/Outcome"},
                  "503": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
            "/api/v1/fhir/Consent": {
              "parameters": [
                {"name": "patient", "in": "query", "schema": {"type": "string", "pattern": "^[A-Za-z0-9.-]{1,36}$"}},
                {"name": "status", "in": "query", "schema": {"type": "string"}, "description": "proposed, active, rejected, inactive; several with a comma"},
                {"name": "page", "in": "query", "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"}, "description": "Of the link next"},
                {"$ref": "#/components/parameters/count"}, {"$ref": "#/components/parameters/format"}
              ],
              "get": {
                "operationId": "fhirSearchConsents", "summary": "The organisation's own consents, the newest first", "tags": ["fhir"],
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "401": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"},
                  "429": {"$ref": "#/components/responses/Outcome"},
                  "503": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
            "/api/v1/fhir/Consent/{id}": {
              "parameters": [{"$ref": "#/components/parameters/fhirID"}, {"$ref": "#/components/parameters/format"}],
              "get": {
                "operationId": "fhirReadConsent", "summary": "One of them", "tags": ["fhir"],
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "401": {"$ref": "#/components/responses/Outcome"},
                  "404": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"},
                  "429": {"$ref": "#/components/responses/Outcome"},
                  "503": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
        """#

    static let fhirParameters = #"""
              "count": {"name": "_count", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1000000}, "description": "Of a page: 100 when it is left out, 1000 at most"},
              "format": {"name": "_format", "in": "query", "schema": {"enum": ["json", "application/json", "application/fhir+json"]}},
              "fhirID": {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[A-Za-z0-9.-]{1,64}$"}},
        """#

    static let fhirResponses = #"""
              "FHIR": {"description": "A resource of FHIR R4", "content": {"application/fhir+json": {"schema": {
                "type": "object", "required": ["resourceType"], "properties": {"resourceType": {"type": "string"}}}}}},
              "Outcome": {"description": "An OperationOutcome: what is wrong and what to do", "content": {"application/fhir+json": {"schema": {
                "type": "object", "required": ["resourceType", "issue"],
                "properties": {"resourceType": {"const": "OperationOutcome"}, "issue": {"type": "array", "minItems": 1, "items": {
                  "type": "object", "required": ["severity", "code", "details"]}}}}}}},
        """#
}
