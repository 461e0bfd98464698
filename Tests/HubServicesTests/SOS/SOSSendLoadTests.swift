import Alerts
import Distress
import Foundation
import HubStore
import Mail
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// How fast mails and texts leave, only where it is asked for: `packaging/bench/run sos-sending` judges it. `TRACKME_LOAD` is the percent of alarms.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TRACKME_LOAD"] != nil))
struct SOSSendLoadTests {
    private static let alarms = max(1, 1000 * (ProcessInfo.processInfo.environment["TRACKME_LOAD"].flatMap { Int($0) } ?? 100) / 100)

    /// `server`: a mail server on kept connections with TLS and log-in. `program`: a process for each mail. `four`: four of these at a time,
    /// as many as 0.3.0 had.
    enum Way: String, CaseIterable, Sendable { case server, program, four }

    @Test("SOS-5: one mail and one text each of 1,000 alarms at once, to a server and a program that wait 0.2 s", arguments: Way.allCases)
    func messages(_ way: Way) async throws {
        let start = try await SOSTown(), directory = try TemporaryDirectory()
        let slow = directory.url.appendingPathComponent("slow").path
        try "#!/bin/sh\nexec sleep 0.2\n".write(toFile: slow, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: slow)
        var behaviour = TestMailServer.Behaviour()
        (behaviour.delay, behaviour.login) = (200, ("hub", "secret"))
        let server = try await TestMailServer(behaviour), texts = MessageProgram(slow)
        var address = try #require(SMTPServer("smtp://127.0.0.1:\(server.port)"))
        (address.authority, address.user, address.password) = (server.authority, "hub", "secret")
        let carrier: any MailCarrier = way == .server ? SMTPSubmission(address) : Sendmail(program: slow)
        let times = Mutex<[String: [Double]]>([:]), began = Mutex(ContinuousClock.now)
        let recipients = Mutex<[String]>([])
        @Sendable func left(_ what: String, _ to: String) {
            let time = began.withLock { $0.duration(to: .now) } / .milliseconds(1)
            recipients.withLock { $0.append(to) }
            times.withLock { $0[what, default: []].append(time) }
        }
        let town = try start.restarted { outlets in
            outlets.mailPool = carrier.alarmPool
            if way == .four { outlets.mailPool.width = 4 }
            outlets.textPool = SendPool(width: MessageProgram.atOnce, limit: texts.limit)
            outlets.mail = { to, subject, text in
                let id = "\(AccountID.random())@hub.example"
                try await carrier.send(
                    MailMessage(from: MailAddress("hub@example.org"), to: MailAddress(to), subject: subject, text: text, date: 0, id: id),
                    as: .alarm)
                left("mail", to)
            }
            outlets.text = { text, number in
                try await texts.send(text, to: number)
                left("text", number)
            }
        }
        let now = town.hub.clock.now
        let cases = try (0..<Self.alarms).map { number in
            var alarm = try town.helpAlarm()
            alarm.id = IncidentID(high: 7, low: UInt64(number))
            var item = SOSCase(alarm, isTest: false, opened: now)
            let contact = SOSContact(name: "C", phone: "+39\(3_000_000 + number)", email: "c\(number)@example.org", language: "en")
            for channel in [SOSCall.Channel.mail, .text] { item.calls.add(.contact(0, contact), channel, .alert, due: now) }
            return item
        }
        town.sos.state.withLock { state in for item in cases { state.cases[item.id] = item } }
        began.withLock { $0 = .now }
        town.sos.sending.sendDue()
        try await town.until { times.withLock { $0.values.reduce(0) { $0 + $1.count } } == 2 * Self.alarms }
        for (what, all) in times.withLock({ $0 }) {
            let sorted = all.sorted(), p50 = sorted[sorted.count / 2], p99 = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
            print("load: \(way.rawValue): \(what) taken: p50 \(Int(p50)), p99 \(Int(p99)), last \(Int(sorted.last ?? 0)) ms")
            print("figure sos_sending_\(way.rawValue)_\(what)_p99_ms \(p99)")
        }
        let all = recipients.withLock(\.self)
        #expect(all.count == 2 * Self.alarms && Set(all).count == all.count, "each once")
        if way == .server {
            #expect(Set(server.got.map(\.to)).count == Self.alarms && server.got.count == Self.alarms, "each once")
            print("load: \(server.connections) connections")
        }
    }
}
