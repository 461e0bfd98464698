import Alerts
import Foundation
import Glibc
import Languages
import SIP
import Testing
import Vitals

@testable import HubServices

/// A control room of social alarms that answers by datagram.
private final class SocialAlarms: Sendable {
    let port: Int
    private let file: Int32

    /// - Parameter status: what it says in `snu`.
    init(status: String) throws {
        let file = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, length) == 0 && getsockname(file, $0, &length) == 0 }
        }
        try #require(bound)
        (self.file, port) = (file, Int(UInt16(bigEndian: address.sin_port)))
        Thread { Self.serve(file, status) }.start()
    }

    deinit { shutdown(file, Int32(SHUT_RDWR)) }

    private static func serve(_ file: Int32, _ status: String) {
        var buffer = [UInt8](repeating: 0, count: 65_536), from = sockaddr_storage()
        while true {
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = withUnsafeMutablePointer(to: &from) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(file, &buffer, buffer.count, 0, $0, &length) }
            }
            guard count > 0 else { return }
            let request = String(decoding: buffer[0..<count], as: UTF8.self)
            let kept = request.components(separatedBy: "\r\n").filter { line in
                ["Via:", "From:", "To:", "Call-ID:", "CSeq:"].contains { line.hasPrefix($0) }
            }
            let reference = request.firstMatch(of: /<ref>([^<]*)<\/ref>/).map { String($0.output.1) } ?? ""
            let body = "<mrs><ref>\(reference)</ref><snu>\(status)</snu></mrs>"
            let answer =
                "SIP/2.0 200 OK\r\n" + kept.joined(separator: "\r\n")
                + "\r\nContent-Type: application/scaip+xml\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            let bytes = Array(answer.utf8)
            withUnsafePointer(to: &from) { pointer in
                _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(file, bytes, bytes.count, 0, $0, length) }
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct SOSSCAIPTests {
    private func room(_ status: String) throws -> (SocialAlarms, SCAIPRoom) {
        let alarms = try SocialAlarms(status: status)
        let target = SIPTarget(host: "127.0.0.1", port: alarms.port, transport: .udp)
        return (alarms, SCAIPRoom(name: "social", target: target, uri: "sip:alarm@127.0.0.1", from: "sip:trackme@hub.example"))
    }

    private var record: SOSRecord {
        SOSRecord(
            incident: "5f0c6f1a9e3b4d27", status: .test, sentAt: SOSTime(utc: 0), sender: .init(name: "TrackMe", address: "hub"),
            recipient: .init(name: "social", address: "social"), person: SOSPerson(name: "Ada Made-Up", phone: "+39021"),
            place: .unknown(.noFix), cause: .help, question: .help, raisedAt: 0)
    }

    @Test("SOS-17: SCAIP by SIP MESSAGE has arrived when the control room's own answer says so, and not when its server took it")
    func scaip() async throws {
        let (taking, first) = try room("0000")
        let proof = try await first.send(record, language: .english)
        #expect(proof.hasPrefix("200 OK from 127.0.0.1"), "\(proof)")
        let (refusing, second) = try room("9")
        let error = await #expect(throws: StorageFailure.self) { try await second.send(record, language: .english) }
        #expect(error?.description.contains("Agree on the codes") == true, "\(error?.description ?? "")")
        #expect(SCAIPRoom.controllerID(record).count == 12)
        withExtendedLifetime((taking, refusing)) {}
    }
}
