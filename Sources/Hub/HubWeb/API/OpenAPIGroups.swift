import Groups
import Vitals

/// What is asked about groups, as it stands in the document.
enum OpenAPIGroups {
    private static let kinds = GroupBins.counted.map { "\"\($0.name)\"" }.joined(separator: ", ")

    static let tag = #"""
            {"name": "groups", "description": "Figures about groups of people, made inexact once for everybody so that nobody can be found in them. Each figure has value and the interval low to high, which holds the truth 95 times in 100. A refusal has the shape of an answer, with null and empty members, and looks the same whatever kept it back. A window is a week, a day or an hour in UTC, as the hub sets it. Webhooks get {type: group, request, window: as in a request} for each window, and {type: group-ended, request, reason} at the end of a subscription."},
        """#

    static let paths = #"""
            "/api/v1/groups/offer": {
              "get": {
                "operationId": "offerOfGroups", "summary": "What can be asked, and how sure answers are", "tags": ["groups"],
                "responses": {
                  "200": {"description": "The offer", "content": {"application/json": {"schema": {
                    "type": "object", "required": ["window", "kinds", "door_left"],
                    "properties": {
                      "window": {"enum": ["week", "day", "hour"]},
                      "newest": {"type": "string", "format": "date-time", "description": "The beginning of the newest closed window"},
                      "door_left": {"type": "integer", "description": "Questions with ranges that are left to the organisation in this year"},
                      "kinds": {"type": "array", "items": {"type": "object", "required": ["kind", "unit", "classes", "levels"], "properties": {
                        "kind": {"type": "string"}, "unit": {"type": "string", "description": "UCUM"},
                        "classes": {"type": "array", "items": {"type": "number"}, "description": "Where each class of values begins"},
                        "levels": {"type": "array", "items": {"type": "object", "required": ["level", "certain"], "properties": {
                          "level": {"enum": ["country", "region", "province", "municipality"]},
                          "certain": {"type": "integer", "description": "A cell of so many people is answered for certain"},
                          "error": {"type": "number", "description": "Half the width of the interval of the mean of 100,000 people in one cell"}}}}}}}
                    }}}}},
                  "401": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/groups/questions": {
              "post": {
                "operationId": "snapGroupQuestion", "summary": "What a question becomes: whole bands of age, places and classes. Nothing is asked", "tags": ["groups"],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "required": ["question"], "properties": {"question": {"$ref": "#/components/schemas/NewGroupQuestion"}}}}}},
                "responses": {
                  "200": {"description": "The question", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/GroupQuestion"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/groups/requests": {
              "get": {
                "operationId": "listGroupRequests", "summary": "What was asked about groups, and what became of it", "tags": ["groups"],
                "parameters": [{"name": "before", "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": 1000000000000}, "description": "Older ones than this place of the list"}],
                "responses": {
                  "200": {"description": "The newest first, 100 at most, without windows", "content": {"application/json": {"schema": {
                    "type": "array", "items": {"$ref": "#/components/schemas/GroupRequest"}}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"}
                }
              },
              "post": {
                "operationId": "askAboutGroup", "tags": ["groups"],
                "summary": "Asks about a group once, or for each window that closes while it runs",
                "description": "An operator looks at the first request of each kind. Without ranges asking costs nobody anything; with ranges it takes one of the organisation's questions of the year for each kind and window.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "required": ["question", "purpose"],
                  "properties": {
                    "question": {"$ref": "#/components/schemas/NewGroupQuestion"},
                    "purpose": {"type": "string", "minLength": 1, "maxLength": 1000},
                    "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 1830, "description": "Of a subscription; once when it is left out"},
                    "past": {"type": ["integer", "null"], "minimum": 0, "maximum": 53, "description": "Closed windows that are answered, too; 1 when it is left out, and at least 1 without days"},
                    "mails": {"type": ["boolean", "null"], "description": "A mail with a link for each delivery"}
                  }}}}},
                "responses": {
                  "201": {"description": "Asked, with what is answered already", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/GroupRequest"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"},
                  "429": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/groups/requests/{id}": {
              "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
              "get": {
                "operationId": "readGroupRequest", "summary": "A request with every window that was delivered", "tags": ["groups"],
                "parameters": [{"name": "format", "in": "query", "schema": {"enum": ["json", "csv"]}}],
                "responses": {
                  "200": {"description": "The request; as CSV one line for each figure", "content": {
                    "application/json": {"schema": {"$ref": "#/components/schemas/GroupRequest"}}, "text/csv": {"schema": {"type": "string"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"}
                }
              },
              "delete": {
                "operationId": "endGroupRequest", "summary": "Takes it back, or ends the subscription", "tags": ["groups"],
                "responses": {
                  "204": {"description": "Ended"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/fhir/MeasureReport": {
              "parameters": [
                {"name": "request", "in": "query", "required": true, "schema": {"type": "string"}, "description": "Of a request about a group"},
                {"$ref": "#/components/parameters/count"}, {"$ref": "#/components/parameters/format"}
              ],
              "get": {
                "operationId": "fhirSearchMeasureReports", "summary": "What was delivered to a request, one report for each window and kind", "tags": ["fhir"],
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "401": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
            "/api/v1/fhir/MeasureReport/{id}": {
              "parameters": [{"$ref": "#/components/parameters/fhirID"}, {"$ref": "#/components/parameters/format"}],
              "get": {
                "operationId": "fhirReadMeasureReport", "summary": "One of them", "tags": ["fhir"],
                "responses": {
                  "200": {"$ref": "#/components/responses/FHIR"},
                  "400": {"$ref": "#/components/responses/Outcome"},
                  "401": {"$ref": "#/components/responses/Outcome"},
                  "404": {"$ref": "#/components/responses/Outcome"},
                  "406": {"$ref": "#/components/responses/Outcome"}
                }
              }
            },
        """#

    private static let figure =
        #""type": ["object", "null"], "required": ["value", "low", "high"], "properties": {"value": {"type": "number"}, "low": {"type": "number"}, "high": {"type": "number"}}"#

    static let schemas = #"""
              "NewGroupQuestion": {
                "type": "object", "required": ["kinds"], "description": "At least one of sexes, ages, regions, area and ranges",
                "properties": {
                  "kinds": {"type": "array", "minItems": 1, "items": {"enum": [\#(kinds)]}},
                  "sexes": {"type": ["array", "null"], "items": {"enum": ["female", "male", "other"]}},
                  "ages": {"type": ["object", "null"], "properties": {"from": {"type": ["integer", "null"], "minimum": 0, "maximum": 150}, "through": {"type": ["integer", "null"], "minimum": 0, "maximum": 150}}},
                  "regions": {"type": ["array", "null"], "items": {"type": "string"}, "description": "Codes (IT-015146) or whole names"},
                  "area": {"type": ["object", "null"], "description": "Becomes the municipalities whose middle lies inside, and is forgotten", "properties": {
                    "circle": {"type": ["object", "null"], "required": ["latitude", "longitude", "radius"], "properties": {"latitude": {"type": "number", "minimum": -90, "maximum": 90}, "longitude": {"type": "number", "minimum": -180, "maximum": 180}, "radius": {"type": "number", "exclusiveMinimum": 0, "description": "Metres"}}},
                    "polygon": {"type": ["array", "null"], "minItems": 3, "maxItems": 200, "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}, "description": "Latitude, longitude"}}}},
                  "ranges": {"type": ["array", "null"], "items": {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": [\#(kinds)]}, "from": {"type": ["number", "null"]}, "below": {"type": ["number", "null"]}}}}
                }
              },
              "GroupQuestion": {
                "type": "object", "required": ["kinds", "ranges", "second_door"],
                "properties": {
                  "kinds": {"type": "array", "items": {"type": "string"}},
                  "sexes": {"type": "array", "items": {"type": "string"}, "description": "Everybody when it is left out"},
                  "ages": {"type": "array", "items": {"type": "object", "required": ["from"], "properties": {"from": {"type": "integer"}, "through": {"type": "integer"}}}},
                  "regions": {"type": "array", "items": {"type": "object", "required": ["code", "name"], "properties": {"code": {"type": "string"}, "name": {"type": "string"}}}},
                  "ranges": {"type": "array", "items": {"type": "object", "required": ["kind", "unit"], "properties": {"kind": {"type": "string"}, "unit": {"type": "string"}, "from": {"type": "number"}, "below": {"type": "number"}}}},
                  "second_door": {"type": "boolean", "description": "Whether it takes one of the year's questions"}
                }
              },
              "GroupRequest": {
                "type": "object", "required": ["id", "created", "purpose", "state", "past", "mails", "question"],
                "properties": {
                  "id": {"type": "string"}, "created": {"type": "string", "format": "date-time"}, "purpose": {"type": "string"},
                  "state": {"enum": ["awaiting-operator", "active", "refused-by-operator", "ended", "fulfilled", "ran-out", "budget-spent"]},
                  "days": {"type": "number"}, "past": {"type": "integer"}, "mails": {"type": "boolean"},
                  "since": {"type": "string", "format": "date-time"}, "until": {"type": "string", "format": "date-time"}, "ended": {"type": "string", "format": "date-time"},
                  "question": {"$ref": "#/components/schemas/GroupQuestion"},
                  "windows": {"type": "array", "items": {"$ref": "#/components/schemas/GroupWindow"}}
                }
              },
              "GroupWindow": {
                "type": "object", "required": ["from", "to", "delivered", "results"],
                "properties": {
                  "from": {"type": "string", "format": "date-time"}, "to": {"type": "string", "format": "date-time"}, "delivered": {"type": "string", "format": "date-time"},
                  "results": {"type": "array", "items": {"$ref": "#/components/schemas/GroupResult"}}
                }
              },
              "GroupResult": {
                "type": "object", "required": ["kind", "unit", "status", "count", "mean", "median", "percentiles", "histogram", "shares", "missing", "missing_more"],
                "properties": {
                  "kind": {"type": "string"}, "unit": {"type": "string"}, "status": {"enum": ["released", "refused"]},
                  "count": {\#(figure)}, "mean": {\#(figure)}, "median": {\#(figure)},
                  "percentiles": {"type": "array", "items": {"type": "object", "required": ["percent", "value", "low", "high"]}},
                  "histogram": {"type": "array", "items": {"type": "object", "required": ["number", "count", "low", "high"]}},
                  "shares": {"type": "array", "items": {"type": "object", "required": ["from", "share", "low", "high"]}},
                  "missing": {"type": "array", "items": {"type": "object", "required": ["sex", "from", "region"]}, "description": "Parts of the group of which nothing was released"},
                  "missing_more": {"type": "boolean"}
                }
              },
        """#
}
