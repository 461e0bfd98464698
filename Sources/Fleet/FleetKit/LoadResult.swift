import Foundation

/// The result of a closed loop of requests. Printed as JSON with these names.
public struct LoadResult: Codable, Sendable {
    public var requests: Int
    /// Requests without a 200 that takes every segment.
    public var errors: Int
    public var samples: Int
    public var samplesPerSecond: Double
    public var requestsPerSecond: Double
    public var wallSeconds: Double
    public var p50Milliseconds: Double?
    public var p99Milliseconds: Double?
    public var maxMilliseconds: Double?
    /// User and system time of this client while it sent.
    public var clientProcessorSeconds: Double

    enum CodingKeys: String, CodingKey {
        case requests, errors, samples
        case samplesPerSecond = "samples_per_s"
        case requestsPerSecond = "requests_per_s"
        case wallSeconds = "wall_s"
        case p50Milliseconds = "p50_ms"
        case p99Milliseconds = "p99_ms"
        case maxMilliseconds = "max_ms"
        case clientProcessorSeconds = "client_cpu_s"
    }
}

/// A result as one line of JSON.
public func resultLine(_ result: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(result), as: UTF8.self)
}
