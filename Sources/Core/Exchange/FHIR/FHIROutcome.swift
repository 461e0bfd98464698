/// An OperationOutcome (FHIR R4): why something was not done, or what to know about it.
public struct FHIROutcome: Sendable, Hashable {
    /// `issue.severity` (required binding), as far as it is used.
    public enum Severity: String, Sendable {
        case error, warning
    }

    /// `issue.code` (required binding), as far as it is used.
    public enum Code: String, Sendable {
        case invalid, forbidden, throttled, transient, incomplete, exception, login
        case notFound = "not-found"
        case notSupported = "not-supported"
        case tooLong = "too-long"
    }

    public var severity: Severity
    public var code: Code
    /// The problem and its remedy, for people.
    public var text: String

    public init(_ severity: Severity, _ code: Code, _ text: String) { (self.severity, self.code, self.text) = (severity, code, text) }

    public var json: [UInt8] {
        var json: [UInt8] = []
        json.append("{\"resourceType\":\"OperationOutcome\",\"issue\":[{\"severity\":")
        json.append(json: severity.rawValue)
        json.append(",\"code\":")
        json.append(json: code.rawValue)
        json.append(",\"details\":{\"text\":")
        json.append(json: text)
        json.append("}}]}")
        return json
    }
}
