import Foundation
import SyncProtocol
import TestSupport
import Testing
import Vitals

struct CheckInTests {
    static let start: Milliseconds = 1_795_600_000_000

    static func checkIn(_ number: UInt64 = 1, run: String = "Città \"alta\" 4 km", standing: CheckIn.Standing = .open) -> CheckIn {
        CheckIn(
            id: ConsentID(high: 7, low: number), run: run, code: "ABC234", organiser: "Club \\ Made Up", purpose: "Run: who is where",
            kinds: [.position, .heartRate], until: start + 7_200_000, lapses: start, standing: standing)
    }

    private func answer(_ checkIns: CheckInList?) -> SyncAnswer {
        SyncAnswer(
            hub: HubIncarnation(high: 1, low: 2), utc: Self.start, cadence: .interval,
            streams: [.init(stream: StreamID(high: 3, low: 4), received: [[1, 5]])], questions: 2, checkIns: checkIns)
    }

    private func decoded(_ json: String) throws -> SyncAnswer { try JSONDecoder().decode(SyncAnswer.self, from: Data(json.utf8)) }

    /// An answer that acknowledges samples, with this in the place of its check-ins.
    private func answer(holding text: String) throws -> SyncAnswer {
        let json = String(decoding: answer(nil).json().dropLast(), as: UTF8.self)
        return try decoded(json + ",\"checkIns\":\(text)}")
    }

    @Test("RUN-5, CONS-2: the check-ins in an answer are what a decoder reads, three at most, and older agents leave them unread")
    func json() throws {
        let all = answer(CheckInList((1...5).map { Self.checkIn($0, standing: $0 == 2 ? .withoutPosition : .open) }))
        let read = try JSONDecoder().decode(SyncAnswer.self, from: Data(all.json()))
        #expect(read == all && read.checkIns?.items.count == CheckInList.countMax && read.checkIns?.unreadable == 0)
        struct Older: Decodable {
            let utc: Milliseconds
            let questions: Int?
        }
        #expect(try JSONDecoder().decode(Older.self, from: Data(all.json())).questions == 2)
        #expect(try JSONDecoder().decode(SyncAnswer.self, from: Data(answer(nil).json())).checkIns == nil, "from an older hub")
    }

    @Test("RUN-5: a check-in that cannot be shown as a whole is left out and counted, and the samples are acknowledged all the same")
    func strict() throws {
        let good = String(decoding: try JSONEncoder().encode(Self.checkIn()), as: UTF8.self)
        let damages: [(String, String)] = [
            ("\"ABC234\"", "\"\""), ("\"ABC234\"", "\"ABC234ABC234ABC234\""), ("\"ABC234\"", "\"AB\\u001b[2J\""), ("\"ABC234\"", "7"),
            ("\"position\"", "\"email\""), ("\"position\"", "\"heartRate\""), ("\"open\"", "\"perhaps\""),
            ("1795600000000", "1"), ("1795600000000", "1895600000000"), ("1795607200000", "\"later\""),
            ("\"id\"", "\"other\""), ("Made Up", String(repeating: "x", count: CheckIn.nameMax + 1)), ("Made Up", "\\u202eMade"),
        ]
        for (part, other) in damages {
            let bad = good.replacingOccurrences(of: part, with: other)
            try #require(bad != good, "\(part)")
            let read = try answer(holding: "[\(bad),\(good)]")
            #expect(read.checkIns?.items == [Self.checkIn()] && read.checkIns?.unreadable == 1, "\(other)")
            #expect(read.streams.first?.received == [[1, 5]])
        }
        for other in ["{}", "7", "\"text\"", "true", "[7,null,[],{}]"] {
            let read = try answer(holding: other)
            #expect(read.checkIns?.items == [] && (read.checkIns?.unreadable ?? 0) > 0 && read.streams.count == 1, "\(other)")
        }
        let twice = try answer(holding: "[\(good),\(good)]")
        #expect(twice.checkIns?.items.count == 1 && twice.checkIns?.unreadable == 1)
    }

    @Test(
        "RUN-5: whatever a hand puts into the list, samples are acknowledged where the answer is JSON at all, and what is shown is in bounds"
    )
    func damaged() throws {
        var random = SeededGenerator(seed: 20_261_122), taken = 0
        let good = Array("[\(String(decoding: try JSONEncoder().encode(Self.checkIn()), as: UTF8.self))]".utf8)
        let spice = ["null", "[", "]", "{}", "\"", "\\u0000", "-1", "1e999", "9223372036854775808", ",", "\u{202E}", "é"].map {
            Array($0.utf8)
        }
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.insert(contentsOf: spice.randomElement(using: &random) ?? [], at: at)
                case 1: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                default: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 0...6, using: &random)))
                }
            }
            let whole = answer(nil).json().dropLast() + Array(",\"checkIns\":".utf8) + bytes + [UInt8(ascii: "}")]
            guard (try? JSONSerialization.jsonObject(with: Data(whole))) != nil else { continue }
            taken += 1
            guard let read = try? JSONDecoder().decode(SyncAnswer.self, from: Data(whole)) else {
                Issue.record("the samples were not acknowledged: \(String(decoding: whole, as: UTF8.self))")
                continue
            }
            for item in read.checkIns?.items ?? [] {
                #expect(item.run.count <= CheckIn.nameMax && !item.kinds.isEmpty && item.lapses <= item.until)
            }
        }
        #expect(taken > 100)
    }

    @Test("RUN-5: the hub cuts what is too long and what would steer a terminal, so that a box can show it")
    func cut() throws {
        let long = CheckIn(
            id: ConsentID(high: 1, low: 1), run: String(repeating: "é", count: 5000), code: "ABC234", organiser: "Club\u{1B}[2J\n\u{202E}!",
            purpose: String(repeating: "long ", count: 900), kinds: [.position], until: Self.start + 1, lapses: Self.start, standing: .open)
        let read = try #require(try answer(holding: "[\(String(decoding: try JSONEncoder().encode(long), as: UTF8.self))]").checkIns)
        #expect(read.items == [long] && read.unreadable == 0)
        #expect(long.run.count == CheckIn.nameMax && long.organiser == "Club[2J!" && long.purpose.count == CheckIn.purposeMax)
    }

    @Test("RUN-5: a reason of a newer hub is one without words")
    func newerReason() throws {
        let reply = Data(#"{"id":"\#(ConsentID(high: 1, low: 1))","utc":1795600000000,"outcome":"no","why":"eclipse"}"#.utf8)
        #expect(try JSONDecoder().decode(CheckInReply.self, from: reply).why == .other)
    }
}
