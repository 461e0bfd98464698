import Foundation
import Vitals
import X509

/// The successor of the hub's CA: announced to boxes long before it signs anything, because a box trusts only what it has pinned.
extension CertificateAuthority {
    /// The successor is made so long before the end of the CA.
    static let successorMadeBeforeEnd: TimeInterval = 2 * 365 * 86_400
    /// Boxes that speak to the hub at least once within this time take the successor over. Others must be enrolled again.
    static let announcedFor: TimeInterval = 180 * 86_400

    /// A CA and, while one is announced, its successor.
    struct Succession: Sendable, Equatable {
        var authority: CertificateAuthority
        var successor: CertificateAuthority?

        /// When the successor takes over.
        var takesOver: Date? { successor.map { $0.made + CertificateAuthority.announcedFor } }
    }

    private static let successorName = "ca-next"

    /// When it was made: its life begins a day earlier, for boxes whose clock is slow.
    var made: Date { certificate.notValidBefore + 86_400 }

    /// The CA in force at `now`. Makes the first one, makes a successor ahead of the end, and lets one take over whose time has come.
    static func succession(in directory: URL, now: Date) throws -> Succession {
        try finishTakeover(in: directory)
        var succession = Succession(authority: try load(in: directory) ?? make(in: directory, now: now))
        succession.successor = try load(successorName, in: directory)
        if succession.successor == nil, now >= succession.authority.certificate.notValidAfter - successorMadeBeforeEnd {
            succession.successor = try make(successorName, in: directory, now: now)
        }
        if let successor = succession.successor, let time = succession.takesOver, now >= time {
            try takeOver(in: directory)
            return Succession(authority: successor)
        }
        return succession
    }

    /// Announces a successor now, whatever the age of the CA.
    /// - Throws: ``HubConfigurationError`` where one is announced already.
    static func announceSuccessor(in directory: URL, now: Date) throws -> Succession {
        var succession = try succession(in: directory, now: now)
        if let time = succession.takesOver {
            throw HubConfigurationError("A successor is announced already: it takes over on \(time.formatted(.iso8601)).")
        }
        succession.successor = try make(successorName, in: directory, now: now)
        return succession
    }

    private static func file(_ name: String, _ directory: URL) -> URL { directory.appendingPathComponent(name) }

    /// The certificate is renamed last: a kill between the two leaves a key that ``finishTakeover(in:)`` recognises.
    private static func takeOver(in directory: URL) throws {
        let before = try String(contentsOf: file("ca.pem", directory), encoding: .utf8)
        try write(before, to: file("ca-before.pem", directory))
        try rename("\(successorName).key", "ca.key", directory)
        try rename("\(successorName).pem", "ca.pem", directory)
    }

    private static func finishTakeover(in directory: URL) throws {
        let certificate = file("\(successorName).pem", directory).path, key = file("\(successorName).key", directory).path
        guard FileManager.default.fileExists(atPath: certificate), !FileManager.default.fileExists(atPath: key) else { return }
        try rename("\(successorName).pem", "ca.pem", directory)
    }

    private static func rename(_ from: String, _ to: String, _ directory: URL) throws {
        guard Glibc.rename(file(from, directory).path, file(to, directory).path) == 0 else {
            throw HubConfigurationError(
                "\(file(from, directory).path) cannot be renamed to \(to) (errno \(errno)): check the directory's owner.")
        }
    }
}
