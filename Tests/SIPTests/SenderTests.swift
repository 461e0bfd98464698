import Foundation
import SIP
import Testing

/// Without SIPp: what happens where nobody answers.
@Suite struct SenderTests {
    private let message = SIPMessage(
        requestURI: "sip:x@127.0.0.1", from: "sip:sos@hub.example", parts: [.init(mediaType: "text/plain", bytes: Array("test".utf8))])

    private func what(_ outcome: SIPOutcome) -> String {
        if case .noAnswer(let what, _) = outcome { what } else { "\(outcome)" }
    }

    @Test("SOS-17: a port where nobody listens is told at once, by datagram and by connection")
    func nobody() async {
        let sender = SIPSender()
        for transport in [SIPTarget.Transport.udp, .tcp] {
            let outcome = await sender.send(message, to: SIPTarget(host: "127.0.0.1", port: freePort(stream: true), transport: transport))
            #expect(what(outcome).hasSuffix("nobody listens there"), "\(outcome)")
        }
        let outcome = await sender.send(message, to: SIPTarget(host: "no such name.invalid", transport: .udp))
        #expect(what(outcome).hasSuffix("there is no such name"), "\(outcome)")
    }

    @Test("SOS-17: silence is told with how often it was tried, and does not last", arguments: [true, false])
    func silence(stream: Bool) async {
        let silent = silentSocket(stream: stream)
        defer { close(silent.descriptor) }
        let target = SIPTarget(host: "127.0.0.1", port: silent.port, transport: stream ? .tcp : .udp)
        let outcome = await SIPSender(patienceMilliseconds: 1200).send(message, to: target)
        #expect(what(outcome) == "127.0.0.1:\(silent.port): no answer to \(stream ? "the message" : "2 sendings")")
    }

    @Test("SOS-17: a control room that answers nothing holds up no other, and takes only its share")
    func bounded() async throws {
        let sender = SIPSender(patienceMilliseconds: 2000), silent = silentSocket(stream: false), other = silentSocket(stream: true)
        defer {
            close(silent.descriptor)
            close(other.descriptor)
        }
        let dead = SIPTarget(host: "127.0.0.1", port: silent.port, transport: .udp), message = message
        let outcomes = await withTaskGroup(of: SIPOutcome.self, returning: [String].self) { group in
            for _ in 0..<SIPSender.atOncePerTargetMax + 8 { group.addTask { await sender.send(message, to: dead) } }
            // The eight that were turned away come back at once; another target is reached meanwhile.
            var first: [String] = []
            for _ in 0..<8 { first.append(what(await group.next() ?? .noAnswer(what: "", advice: ""))) }
            let nobody = await sender.send(message, to: SIPTarget(host: "127.0.0.1", port: freePort(stream: true), transport: .tcp))
            first.append(what(nobody))
            for await _ in group {}
            return first
        }
        #expect(outcomes.prefix(8).allSatisfy { $0.hasSuffix("not sent, too many messages wait for an answer") }, "\(outcomes)")
        #expect(outcomes.last?.hasSuffix("nobody listens there") == true)
        // The places are free again.
        let again = await sender.send(message, to: dead)
        #expect(what(again).contains("no answer"))
    }

    @Test("SOS-17: a task that is cancelled ends its message")
    func cancelled() async throws {
        let silent = silentSocket(stream: true)
        defer { close(silent.descriptor) }
        let message = message
        let task = Task { await SIPSender().send(message, to: SIPTarget(host: "127.0.0.1", port: silent.port, transport: .tcp)) }
        try await Task.sleep(for: .milliseconds(200))
        task.cancel()
        #expect(what(await task.value).hasSuffix("the connection was closed before an answer came"))
    }
}
