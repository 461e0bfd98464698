internal import Foundation

extension ControlReply {
    /// For programs: one object with sorted keys.
    public func json() throws -> String { try readable(self) }
}

extension BoxStatus {
    /// For programs: one object with sorted keys.
    public func json() throws -> String { try readable(self) }
}

private func readable(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
