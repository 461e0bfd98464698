import Testing

@testable import SIP

/// A response, or a request, as it stands on the wire.
func incoming(_ lines: String..., body: String = "") throws -> SIPIncoming {
    try #require(SIPReader.message(datagram: Array((lines + ["", body]).joined(separator: "\r\n").utf8)))
}

func response(_ status: Int, branch: String = "z9hG4bK1", method: String = "MESSAGE", headers: [String] = [], body: String = "") throws
    -> SIPIncoming
{
    let lines = ["SIP/2.0 \(status) Some Words", "Via: SIP/2.0/UDP 127.0.0.1:5;branch=\(branch);rport=5", "CSeq: 1 \(method)"] + headers
    return try #require(SIPReader.message(datagram: Array((lines + ["", body]).joined(separator: "\r\n").utf8)))
}

@Suite struct TransactionTests {
    private func started(reliable: Bool = false, expectsAnswer: Bool = false) -> SIPTransaction {
        var transaction = SIPTransaction(branch: "z9hG4bK1", isReliable: reliable, expectsAnswer: expectsAnswer)
        #expect(transaction.handle(.started, now: 1000) == [.send, .wake(reliable ? 33_000 : 1500)])
        return transaction
    }

    /// Lets the machine run on its own timers, and says when it sent and how it ended.
    private func run(_ transaction: inout SIPTransaction, from effects: [SIPTransaction.Effect]) -> (
        sent: [Moment], ending: SIPTransaction.Ending?
    ) {
        var effects = effects, sent: [Moment] = [], now: Moment = 0
        while true {
            if effects.contains(.send), now > 0 { sent.append(now) }
            for case .finish(let ending) in effects { return (sent, ending) }
            guard let wake = effects.compactMap({ if case .wake(let moment) = $0 { moment } else { nil } }).last, sent.count < 100 else {
                return (sent, nil)
            }
            now = wake
            effects = transaction.handle(.timer, now: now)
        }
    }

    @Test("SOS-17: without an answer a datagram is sent again after 0.5, 1, 2 and then every 4 s, and given up after 32 s")
    func retransmits() {
        var transaction = started()
        let (sent, ending) = run(&transaction, from: [.wake(1500)])
        #expect(sent == [1500, 2500, 4500, 8500, 12_500, 16_500, 20_500, 24_500, 28_500, 32_500])
        #expect(ending == .silence(sent: 11, provisional: nil))
        #expect(transaction.handle(.timer, now: 99_000).isEmpty && transaction.handle(.started, now: 99_000).isEmpty)
    }

    @Test("SOS-17: over a connection nothing is repeated, and the patience is the same")
    func reliable() {
        var transaction = started(reliable: true)
        #expect(run(&transaction, from: [.wake(33_000)]).ending == .silence(sent: 1, provisional: nil))
    }

    @Test("SOS-17: a provisional response slows the repetition and ends no wait")
    func provisional() throws {
        var transaction = started()
        #expect(transaction.handle(.received(try response(100)), now: 1100).isEmpty)
        let (sent, ending) = run(&transaction, from: [.wake(1500)])
        #expect(sent == [1500, 5500, 9500, 13_500, 17_500, 21_500, 25_500, 29_500])
        #expect(ending == .silence(sent: 9, provisional: 100))
    }

    @Test("SOS-17: a final response ends it, once, whatever it says", arguments: [200, 202, 302, 404, 425, 503, 603])
    func final(status: Int) throws {
        var transaction = started()
        let answer = try response(status)
        #expect(transaction.handle(.received(answer), now: 1200) == [.finish(.answered(answer, message: nil))])
        #expect(transaction.handle(.received(answer), now: 1300).isEmpty && transaction.handle(.timer, now: 99_000).isEmpty)
        #expect(transaction.handle(.lost("gone"), now: 1400).isEmpty)
    }

    @Test("SOS-17: a response to another request, or to another method, is not taken for this one's")
    func others() throws {
        var transaction = started()
        #expect(transaction.handle(.received(try response(200, branch: "z9hG4bK2")), now: 1100).isEmpty)
        #expect(transaction.handle(.received(try response(200, method: "INVITE")), now: 1100).isEmpty)
        #expect(transaction.handle(.received(try incoming("SIP/2.0 200 OK", "CSeq: 1 MESSAGE")), now: 1100).isEmpty)
        #expect(transaction.handle(.timer, now: 1500) == [.send, .wake(2500)])
    }

    @Test("SOS-17: a lost connection is told with its reason and with how often the alarm was sent")
    func lost() {
        var transaction = started()
        _ = transaction.handle(.timer, now: 1500)
        #expect(transaction.handle(.lost("no way"), now: 1600) == [.finish(.lost("no way", sent: 2))])
    }

    @Test("SOS-17: where the answer is a message of its own, it is waited for, acknowledged, and handed on with the 200")
    func answerMessage() throws {
        var transaction = started(expectsAnswer: true)
        let accepted = try response(200), message = try incoming("MESSAGE sip:x SIP/2.0", "CSeq: 7 MESSAGE", body: "<mrs/>")
        #expect(transaction.handle(.received(accepted), now: 2000) == [.wake(10_000)])
        #expect(
            transaction.handle(.received(message), now: 2500) == [
                .reply(to: message, status: 200, reason: "OK"), .finish(.answered(accepted, message: message)),
            ])
    }

    @Test("SOS-17: an answer that overtakes the 200 counts, one in the 200 needs no waiting, and without any the 200 stands")
    func answerOrders() throws {
        let accepted = try response(200), message = try incoming("MESSAGE sip:x SIP/2.0", "CSeq: 7 MESSAGE", body: "<mrs/>")
        var early = started(expectsAnswer: true)
        #expect(early.handle(.received(message), now: 1100) == [.reply(to: message, status: 200, reason: "OK")])
        #expect(early.handle(.received(accepted), now: 1200) == [.finish(.answered(accepted, message: message))])
        var within = started(expectsAnswer: true)
        let full = try response(200, body: "<mrs/>")
        #expect(within.handle(.received(full), now: 1200) == [.finish(.answered(full, message: nil))])
        var never = started(expectsAnswer: true)
        _ = never.handle(.received(accepted), now: 2000)
        #expect(never.handle(.timer, now: 5000) == [.wake(10_000)])
        #expect(never.handle(.timer, now: 10_000) == [.finish(.answered(accepted, message: nil))])
        var cut = started(reliable: true, expectsAnswer: true)
        _ = cut.handle(.received(accepted), now: 2000)
        #expect(cut.handle(.lost("closed"), now: 2100) == [.finish(.answered(accepted, message: nil))])
    }

    @Test("SOS-17: other requests of the control room are answered and change nothing")
    func otherRequests() throws {
        var transaction = started()
        let options = try incoming("OPTIONS sip:x SIP/2.0", "CSeq: 7 OPTIONS")
        #expect(transaction.handle(.received(options), now: 1100) == [.reply(to: options, status: 405, reason: "Method Not Allowed")])
        #expect(transaction.handle(.received(try incoming("ACK sip:x SIP/2.0", "CSeq: 7 ACK")), now: 1100).isEmpty)
    }
}
