import Foundation
import Seams
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
    static func succession(in directory: URL, now: Date, on machine: Machine = .system) throws -> Succession {
        try finishTakeover(in: directory, on: machine)
        var succession = Succession(
            authority: try load(in: directory, on: machine) ?? make(in: directory, now: now, on: machine))
        succession.successor = try load(successorName, in: directory, on: machine)
        if succession.successor == nil, now >= succession.authority.certificate.notValidAfter - successorMadeBeforeEnd {
            succession.successor = try make(successorName, in: directory, now: now, on: machine)
        }
        if let successor = succession.successor, let time = succession.takesOver, now >= time {
            try takeOver(in: directory, on: machine)
            return Succession(authority: successor)
        }
        return succession
    }

    /// Announces a successor now, whatever the age of the CA.
    /// - Throws: ``HubConfigurationError`` where one is announced already.
    static func announceSuccessor(in directory: URL, now: Date, on machine: Machine = .system) throws -> Succession {
        var succession = try succession(in: directory, now: now, on: machine)
        if let time = succession.takesOver {
            throw HubConfigurationError("A successor is announced already: it takes over on \(time.formatted(.iso8601)).")
        }
        succession.successor = try make(successorName, in: directory, now: now, on: machine)
        return succession
    }

    private static func file(_ name: String, _ directory: URL) -> URL { directory.appendingPathComponent(name) }

    /// The certificate is renamed last: a kill between the two leaves a key that ``finishTakeover(in:on:)`` recognises.
    private static func takeOver(in directory: URL, on machine: Machine) throws {
        let before = try text(of: file("ca.pem", directory), machine) ?? ""
        try write(before, to: file("ca-before.pem", directory), machine)
        try rename("\(successorName).key", "ca.key", directory, machine)
        try rename("\(successorName).pem", "ca.pem", directory, machine)
    }

    private static func finishTakeover(in directory: URL, on machine: Machine) throws {
        let certificate = file("\(successorName).pem", directory).path, key = file("\(successorName).key", directory).path
        guard machine.files.exists(certificate), !machine.files.exists(key) else { return }
        try rename("\(successorName).pem", "ca.pem", directory, machine)
    }

    private static func rename(_ from: String, _ to: String, _ directory: URL, _ machine: Machine) throws {
        do { try machine.files.move(file(from, directory).path, to: file(to, directory).path) } catch {
            throw HubConfigurationError("\(error): check the directory's owner.")
        }
    }
}
