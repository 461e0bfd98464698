import Vitals

/// The paths of what people enter by their own programs, as they stand in the document.
extension OpenAPI {
    private static let entered = KindEntry.entered.map { "\"\($0.name)\"" }.joined(separator: ", ")

    static let entryPaths = #"""
            "/api/v1/entries": {
              "post": {
                "operationId": "enterValue", "tags": ["entries"], "security": [{"phone": []}, {"session": []}],
                "summary": "A value that the person measured without a sensor, marked as entered by hand",
                "description": "The checks are those of the page: unit, range, digits, begin and end. 422 says all that is wrong, by member, in the person's language. The same entry again is stored once and has the same id. 409: as many values of the kind as are kept stand at that minute. About 100 at once are taken from a person, then one in 2 s.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "required": ["kind", "value", "time"],
                  "properties": {
                    "kind": {"enum": [\#(entered)]},
                    "value": {"type": ["number", "string"], "description": "A number, or a word of kinds that have words, such as deep of sleep"},
                    "unit": {"type": "string", "description": "UCUM, such as kg or [lb_av]; the kind's own when it is left out"},
                    "time": {"type": "string", "description": "RFC 3339 or milliseconds"},
                    "end": {"type": "string", "description": "Of kinds that last"},
                    "diastolic": {"type": "number", "description": "Of blood_pressure"},
                    "place": {"type": "string", "description": "Of activity"}
                  }}}}},
                "responses": {
                  "201": {"description": "Stored", "content": {"application/json": {"schema": {
                    "type": "object", "required": ["id", "kind", "source", "time", "value"],
                    "properties": {
                      "id": {"type": "string"}, "kind": {"type": "string"}, "source": {"const": "manual"},
                      "time": {"type": "string", "format": "date-time"}, "end": {"type": "string", "format": "date-time"},
                      "value": {"type": ["number", "string"], "description": "In the kind's own unit"}, "unit": {"type": "string"}
                    }}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"},
                  "422": {"$ref": "#/components/responses/Problem"},
                  "429": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/entries/{id}": {
              "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
              "delete": {
                "operationId": "takeBackValue", "tags": ["entries"], "security": [{"phone": []}, {"session": []}],
                "summary": "Takes an entry back. It is gone within seconds; asking again does nothing",
                "responses": {
                  "204": {"description": "Taken back"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "429": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
        """#

    static let entrySchemes = #"""
              "phone": {"type": "http", "scheme": "bearer", "description": "The secret of a phone, which a person makes on the page of their boxes and phones"},
              "session": {"type": "apiKey", "in": "cookie", "name": "__Host-trackme-session", "description": "Of a person who is logged in, from pages of this hub"},
        """#

    static let entryTag =
        #"{"name": "entries", "description": "What a person enters by a program of their own, and takes back."},"#
}
