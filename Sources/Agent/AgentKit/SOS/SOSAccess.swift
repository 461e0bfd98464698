internal import Foundation
internal import Logging
internal import Synchronization

/// With what the box reaches the hub in an emergency: the last token that was used, however old, and where the hub was reached last.
///
/// A file of its own beside the buffer, readable without it, without a name service and with a wrong clock (design rule 7). It is written
/// on a queue of its own; nobody waits for the disk.
final class SOSAccess: Sendable {
    private struct Content: Codable, Hashable {
        var token: String?
        var address: String?
    }

    private static let name = "sos-access.json"
    private let content: Mutex<Content>
    private let file: NewestFile<Content>

    /// A file that is missing or damaged is as none: the next token that is used is kept again.
    init(_ directory: StateDirectory, logger: Logger) {
        file = NewestFile(
            Self.name, in: directory, refusal: "until the disk takes it, a restart without the buffer cannot reach the hub in an emergency",
            logger: logger)
        let bytes = (try? directory.read(Self.name)) ?? nil
        content = Mutex(bytes.flatMap { try? JSONDecoder().decode(Content.self, from: Data($0)) } ?? Content())
    }

    var token: String? { content.withLock { $0.token } }
    var address: String? { content.withLock { $0.address } }

    /// It was used, or is about to be.
    func note(token: String?) { change { $0.token = token ?? $0.token } }
    func note(address: String?) { change { $0.address = address ?? $0.address } }

    private func change(_ body: (inout Content) -> Void) {
        let changed: Content? = content.withLock { content in
            let before = content
            body(&content)
            return content == before ? nil : content
        }
        if let changed { file.keep(changed) }
    }
}
