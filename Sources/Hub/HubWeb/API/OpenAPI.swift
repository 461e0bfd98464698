import Vitals

/// The description of the API for organisations (OpenAPI 3.1), as the hub serves it.
enum OpenAPI {
    /// The names of what can be asked for.
    private static let kinds = Texts.kindsOffered.map { "\"\($0.name)\"" }.joined(separator: ", ")

    static let document = #"""
        {
          "openapi": "3.1.0",
          "info": {
            "title": "TrackMe API for organisations, detectors and people's own programs", "version": "1",
            "description": "What leaves this hub leaves with the consent of the person. Times are RFC 3339 in UTC. Errors are application/problem+json (RFC 9457), those of the token endpoint follow RFC 6749.",
            "license": {"name": "Apache 2.0", "identifier": "Apache-2.0"}
          },
          "servers": [{"url": "/"}],
          "security": [{"token": []}],
          "tags": [
            {"name": "access", "description": "Who asks"},
            {"name": "consents", "description": "Asking people, and reading what they agreed to. Nothing tells whether somebody has an account."},
            {"name": "services", "description": "What people can add. Whoever adds one stays unnamed: it shows as a consent with the service's identifier. Read with service=IDENTIFIER, and send results back."},
            {"name": "flags", "description": "Falls and seizures that another system notices, with the secret of a device that the person made for it."},
            \#(entryTag)
        \#(OpenAPIGroups.tag)
            {"name": "fhir", "description": "FHIR R4: who agreed, under a pseudonym, and what may be read of them. Errors are OperationOutcomes. For consents that last; one delivery is read as samples."},
            {"name": "webhooks", "description": "Where the hub posts what is new. Each POST carries TrackMe-Signature: t=SECONDS,v1=HEX, where HEX is the HMAC-SHA256 of SECONDS, a point and the body under the webhook's secret; refuse old times. TrackMe-Delivery counts from 1: the same number is the same delivery. Answer 2xx within 10 s; redirects are not followed. Those about one consent come one after the other, those about several consents side by side, more at once the faster you answer. What fails is tried again for 24 hours, before what came after it. Each webhook gets the new data of every subscription that runs: {type: samples, consent, after, cursor, samples: as the lines of the stream}; {type: start-over, consent, after, cursor, from} as the stream says it; {type: ended, consent}, the last one of a consent. after is the cursor of the delivery before, null in the first: whoever has another one lacks a delivery that was given up, and reads the stream after its own."}
          ],
          "paths": {
            "/api/v1/openapi.json": {
              "get": {
                "operationId": "getDescription", "summary": "This document", "tags": ["access"], "security": [],
                "responses": {"200": {"description": "The document", "content": {"application/json": {"schema": {"type": "object"}}}}}
              }
            },
            "/api/v1/token": {
              "post": {
                "operationId": "requestToken", "tags": ["access"], "security": [],
                "summary": "A token for a signed assertion (RFC 7523, private_key_jwt)",
                "description": "The assertion is a JWT with ES256, signed with a registered key: iss and sub are the organisation's identifier, aud is the full URL of this endpoint, exp at most 5 minutes ahead, jti used once.",
                "requestBody": {"required": true, "content": {"application/x-www-form-urlencoded": {"schema": {
                  "type": "object", "required": ["grant_type", "client_assertion_type", "client_assertion"],
                  "properties": {
                    "grant_type": {"const": "client_credentials"},
                    "client_assertion_type": {"const": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
                    "client_assertion": {"type": "string", "maxLength": 4096}
                  }}}}},
                "responses": {
                  "200": {"description": "A token", "content": {"application/json": {"schema": {
                    "type": "object", "required": ["access_token", "token_type", "expires_in"],
                    "properties": {
                      "access_token": {"type": "string"}, "token_type": {"const": "Bearer"},
                      "expires_in": {"type": "integer", "description": "Seconds"}
                    }}}}},
                  "400": {"$ref": "#/components/responses/OAuthError"},
                  "401": {"$ref": "#/components/responses/OAuthError"},
                  "413": {"$ref": "#/components/responses/OAuthError"},
                  "429": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/consents": {
              "get": {
                "operationId": "listConsents", "summary": "What was asked, and what became of it", "tags": ["consents"],
                "parameters": [{"name": "page", "in": "query", "schema": {"type": "string"}, "description": "From the link to the next page"}],
                "responses": {
                  "200": {"description": "The newest first, 200 at most; the header Link names the next page (rel=next), where there is one", "content": {"application/json": {"schema": {
                    "type": "array", "items": {"$ref": "#/components/schemas/Consent"}}}}},
                  "401": {"$ref": "#/components/responses/Problem"}
                }
              },
              "post": {
                "operationId": "askForConsent", "summary": "Asks one person", "tags": ["consents"],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "required": ["whom", "kinds", "purpose"],
                  "properties": {
                    "whom": {"type": "string", "examples": ["ada@example.org"], "description": "Address or tax number (US:123-45-6789)"},
                    "kinds": {"type": "array", "minItems": 1, "items": {"enum": [\#(kinds)]}},
                    "purpose": {"type": "string", "minLength": 1, "maxLength": 1000},
                    "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 1830, "description": "Of a subscription; once when it is left out"}
                  }}}}},
                "responses": {
                  "201": {"description": "Asked", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Consent"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/consents/{id}": {
              "parameters": [{"$ref": "#/components/parameters/consent"}],
              "delete": {
                "operationId": "endConsent", "summary": "Takes a question back, or reads no more", "tags": ["consents"],
                "responses": {
                  "204": {"description": "Ended"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/consents/{id}/samples": {
              "parameters": [
                {"$ref": "#/components/parameters/consent"},
                {"name": "service", "in": "query", "schema": {"type": "string"}, "description": "For which service, where the consent counts for one"},
                {"name": "from", "in": "query", "schema": {"type": "string"}, "description": "RFC 3339 or milliseconds; 0 for all data; 7 days before to when it is left out"},
                {"name": "to", "in": "query", "schema": {"type": "string"}, "description": "RFC 3339 or milliseconds; now when it is left out"},
                {"name": "last", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 10000}, "description": "So many of the newest records up to to, in place of from"}, {"name": "format", "in": "query", "schema": {"enum": ["json", "csv"]}}
              ],
              "get": {
                "operationId": "readSamples", "summary": "Samples of the granted kinds, as they are read: all data is one answer", "tags": ["consents"],
                "description": "What was granted once ends when each hour with data from before the yes was taken, in as many parts as you like, and gives nothing newer; for 30 days after the yes it can be read again.",
                "responses": {
                  "200": {"description": "One JSON object a line, or CSV", "content": {
                    "application/x-ndjson": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "429": {"$ref": "#/components/responses/Problem"},
                  "503": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/consents/{id}/stream": {
              "parameters": [
                {"$ref": "#/components/parameters/consent"},
                {"name": "service", "in": "query", "schema": {"type": "string"}, "description": "For which service, where the consent counts for one"},
                {"name": "after", "in": "query", "schema": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,4096}$"}, "description": "The id of the last event that was received, as Last-Event-ID"}
              ],
              "get": {
                "operationId": "streamSamples", "tags": ["consents"],
                "summary": "What arrives from now on, or behind a cursor, as Server-Sent Events",
                "description": "Events: samples (one JSON object a line), start-over (the cursor is too old: read again from the time in it), end (nothing may be read any more).",
                "responses": {
                  "200": {"description": "The stream", "content": {"text/event-stream": {"schema": {"type": "object"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/consents/{id}/results": {
              "parameters": [{"$ref": "#/components/parameters/consent"}],
              "post": {
                "operationId": "sendResult", "tags": ["services"],
                "summary": "What a service found out: text, values, a series to plot; the person sees it on the service's page",
                "description": "100 a day for one consent. The newest 200 are kept, and 1 MiB of them. Good while the service is added, and 7 days after a consent for once was fulfilled.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}}},
                "responses": {
                  "201": {"description": "Kept", "content": {"application/json": {"schema": {
                    "type": "object", "required": ["number"],
                    "properties": {"number": {"type": "integer", "description": "Counts this consent's results"}}}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"},
                  "429": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/flags": {
              "post": {
                "operationId": "reportFlag", "tags": ["flags"], "security": [{"device": []}],
                "summary": "A fall or a seizure was noticed: the person is asked “are you OK?”, and without an answer in 30 s help is called",
                "description": "The same flag at the same time is one event, however often it is sent: repeat a request that got no answer with the same time. Up to 6 at once are taken from a device, then one a minute. 409 says why nobody is asked or called: off (AutomatedSOS is off), paused, waiting (a case is over, and the person has not reactivated monitoring), late (noticed more than 6 hours ago). The event is kept nevertheless, and the person is told; it helps nothing to repeat it.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "required": ["flag", "time"],
                  "properties": {
                    "flag": {"enum": ["fall", "seizure"]},
                    "time": {"type": "string", "format": "date-time", "description": "When it was noticed"}
                  }}}}},
                "responses": {
                  "200": {"description": "Taken", "content": {"application/json": {"schema": {
                    "type": "object", "required": ["flag", "outcome", "detail"],
                    "properties": {
                      "flag": {"enum": ["fall", "seizure"]},
                      "outcome": {"enum": ["asked", "open", "answered"], "description": "The person is asked; an alarm is open already; the person has answered"},
                      "until": {"type": "string", "format": "date-time", "description": "Without an answer help is called then"},
                      "detail": {"type": "string"}
                    }}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "403": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"},
                  "429": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/services": {
              "get": {
                "operationId": "listServices", "summary": "The organisation's services", "tags": ["services"],
                "responses": {
                  "200": {"description": "The newest first", "content": {"application/json": {"schema": {
                    "type": "array", "items": {"$ref": "#/components/schemas/Service"}}}}},
                  "401": {"$ref": "#/components/responses/Problem"}
                }
              },
              "post": {
                "operationId": "publishService", "summary": "Hands a service in; an operator looks at it before it is shown", "tags": ["services"],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewService"}}}},
                "responses": {
                  "201": {"description": "Handed in", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Service"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/services/{id}": {
              "parameters": [{"$ref": "#/components/parameters/service"}],
              "put": {
                "operationId": "changeService", "tags": ["services"],
                "summary": "Changes a service; an operator looks at it again. Kinds and purposes of one that was shown stay as they are",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewService"}}}},
                "responses": {
                  "200": {"description": "Handed in", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Service"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"}
                }
              },
              "delete": {
                "operationId": "withdrawService", "summary": "Nobody can add it any more; who has it keeps it", "tags": ["services"],
                "responses": {
                  "204": {"description": "Withdrawn"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
        \#(ecgPaths)
        \#(entryPaths)
        \#(fhirPaths)
        \#(OpenAPIGroups.paths)
            "/api/v1/webhooks": {
              "get": {
                "operationId": "listWebhooks", "summary": "The organisation's webhooks", "tags": ["webhooks"],
                "responses": {
                  "200": {"description": "All of them, the oldest first", "content": {"application/json": {"schema": {
                    "type": "array", "items": {"$ref": "#/components/schemas/Webhook"}}}}},
                  "401": {"$ref": "#/components/responses/Problem"}
                }
              },
              "post": {
                "operationId": "addWebhook", "summary": "Makes a webhook", "tags": ["webhooks"],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "required": ["url"],
                  "properties": {"url": {"type": "string", "maxLength": 2048, "pattern": "^https://", "examples": ["https://hooks.example.org/trackme"], "description": "https, on the public Internet"}}}}}},
                "responses": {
                  "201": {"description": "Made; the secret is shown this once", "content": {"application/json": {"schema": {
                    "$ref": "#/components/schemas/Webhook"}}}},
                  "400": {"$ref": "#/components/responses/Problem"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "409": {"$ref": "#/components/responses/Problem"},
                  "413": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/webhooks/{id}": {
              "parameters": [{"$ref": "#/components/parameters/webhook"}],
              "get": {
                "operationId": "getWebhook", "summary": "One webhook with its state", "tags": ["webhooks"],
                "responses": {
                  "200": {"description": "The webhook", "content": {"application/json": {"schema": {
                    "$ref": "#/components/schemas/Webhook"}}}},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"}
                }
              },
              "delete": {
                "operationId": "removeWebhook", "summary": "Removes a webhook with all that waits for it", "tags": ["webhooks"],
                "responses": {
                  "204": {"description": "Removed"},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"}
                }
              }
            },
            "/api/v1/webhooks/{id}/dead-deliveries": {
              "parameters": [{"$ref": "#/components/parameters/webhook"}],
              "get": {
                "operationId": "listDeadDeliveries", "summary": "What was given up after a day of tries, the newest 100", "tags": ["webhooks"],
                "responses": {
                  "200": {"description": "Without what they said", "content": {"application/json": {"schema": {
                    "type": "array", "items": {"$ref": "#/components/schemas/AbandonedDelivery"}}}}},
                  "401": {"$ref": "#/components/responses/Problem"},
                  "404": {"$ref": "#/components/responses/Problem"}
                }
              }
            }
          },
          "components": {
            "securitySchemes": {
        \#(entrySchemes)
              "token": {"type": "http", "scheme": "bearer"},
              "device": {"type": "http", "scheme": "bearer", "description": "The secret of a device of the kind “Fall or seizure detector”, which a person makes on the page of their boxes and phones"}},
            "parameters": {
        \#(fhirParameters)
              "consent": {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
              "service": {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
              "webhook": {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}},
            "responses": {
        \#(fhirResponses)
              "Problem": {"description": "What is wrong and what to do", "content": {"application/problem+json": {"schema": {
                "$ref": "#/components/schemas/Problem"}}}},
              "OAuthError": {"description": "Why no token is given", "content": {"application/json": {"schema": {
                "type": "object", "required": ["error", "error_description"],
                "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}}}}}}
            },
            "schemas": {
              "Consent": {
                "type": "object", "required": ["id", "whom", "kinds", "purpose", "state"],
                "properties": {
                  "id": {"type": "string"}, "whom": {"type": "string"},
                  "kinds": {"type": "array", "items": {"type": "string"}}, "purpose": {"type": "string"},
                  "state": {"enum": ["awaiting-operator", "pending", "accepted", "refused-by-operator", "withdrawn", "denied", "unanswered", "fulfilled", "ran-out", "ended-by-asker", "revoked"]},
                  "since": {"type": "string", "format": "date-time"}, "until": {"type": "string", "format": "date-time"},
                  "expires": {"type": "string", "format": "date-time"}, "ended": {"type": "string", "format": "date-time"},
                  "service": {"type": "string", "description": "For what was added; whom is empty then"}
                }
              },
              "Words": {
                "type": "object", "required": ["about", "purpose"],
                "properties": {"about": {"type": "string", "minLength": 1, "maxLength": 2000}, "purpose": {"type": "string", "minLength": 1, "maxLength": 300}}
              },
              "NewService": {
                "type": "object", "required": ["name", "english", "italian", "kinds", "actions"],
                "properties": {
                  "name": {"type": "string", "minLength": 1, "maxLength": 60},
                  "english": {"$ref": "#/components/schemas/Words"}, "italian": {"$ref": "#/components/schemas/Words"},
                  "kinds": {"type": "array", "minItems": 1, "items": {"enum": [\#(kinds)]}},
                  "actions": {"type": "array", "minItems": 1, "items": {"enum": ["once", "daily"]}}
                }
              },
        \#(ecgSchema)
        \#(OpenAPIGroups.schemas)
              "Service": {
                "type": "object", "required": ["id", "state", "name", "english", "italian", "kinds", "actions"],
                "properties": {
                  "id": {"type": "string"}, "state": {"enum": ["checking", "refused", "shown", "changing", "withdrawn"]},
                  "name": {"type": "string"},
                  "english": {"$ref": "#/components/schemas/Words"}, "italian": {"$ref": "#/components/schemas/Words"},
                  "kinds": {"type": "array", "items": {"type": "string"}}, "actions": {"type": "array", "items": {"enum": ["once", "daily"]}}
                }
              },
              "Result": {
                "type": "object",
                "properties": {
                  "text": {"type": "string", "maxLength": 4000},
                  "values": {"type": "array", "maxItems": 50, "items": {
                    "type": "object", "required": ["name", "value"],
                    "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 60}, "value": {"type": "number"}, "unit": {"type": "string", "maxLength": 20}}}},
                  "series": {
                    "type": "object", "required": ["name", "points"],
                    "properties": {
                      "name": {"type": "string", "minLength": 1, "maxLength": 60}, "unit": {"type": "string", "maxLength": 20},
                      "points": {"type": "array", "minItems": 2, "maxItems": 1000, "items": {
                        "type": "object", "required": ["time", "value"],
                        "properties": {"time": {"type": "string", "description": "RFC 3339 or milliseconds"}, "value": {"type": "number"}}}}
                    }
                  }
                }
              },
              "Problem": {
                "type": "object", "required": ["type", "title", "status", "detail", "code"],
                "properties": {
                  "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
                  "detail": {"type": "string"}, "code": {"type": "string", "description": "Short, for programs"},
                  "members": {"type": "array", "description": "Of 422: what is wrong where", "items": {"type": "object", "properties": {"member": {"type": "string"}, "detail": {"type": "string"}}}}
                }
              },
              "Webhook": {
                "type": "object", "required": ["id", "url", "created", "waiting", "dead", "missed", "failures"],
                "properties": {
                  "id": {"type": "string"}, "url": {"type": "string"},
                  "secret": {"type": "string", "description": "Only when it was just made"},
                  "created": {"type": "string", "format": "date-time"},
                  "waiting": {"type": "integer", "description": "Deliveries in the queue"},
                  "dead": {"type": "integer", "description": "Deliveries that were given up"},
                  "missed": {"type": "integer", "description": "Deliveries that were not queued, as too many wait"},
                  "failures": {"type": "integer", "description": "Tries that failed one after the other"},
                  "last_delivered": {"type": "string", "format": "date-time"}, "last_error": {"type": "string"}
                }
              },
              "AbandonedDelivery": {
                "type": "object", "required": ["number", "created", "given_up", "tries", "error"],
                "properties": {
                  "number": {"type": "integer"}, "created": {"type": "string", "format": "date-time"},
                  "given_up": {"type": "string", "format": "date-time"}, "tries": {"type": "integer"}, "error": {"type": "string"}
                }
              }
            }
          }
        }
        """#
}
