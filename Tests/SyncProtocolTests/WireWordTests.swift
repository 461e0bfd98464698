import Distress
import Foundation
import SyncProtocol
import TestSupport
import Testing
import Vitals

/// A place of a message where a word of the wire stands.
struct WordPlace: Sendable, CustomTestStringConvertible {
    typealias JSON = [String: Any]
    let path: String
    /// Of the enum.
    let name: String
    var testDescription: String { path }
    /// A made-up word in the message is unknown, and nothing else of it changes.
    let takesMadeUp: @Sendable () throws -> Void
    /// Each word of this version is read by 0.3.0, and by this version as it is.
    let isReadBy030: @Sendable () throws -> Void

    /// - Parameters:
    ///   - message: one with this word in its place.
    ///   - older: the message in ``In030``.
    ///   - words: those of 0.3.0.
    init<Message: Codable & Hashable & Sendable, Word: WireWord, Older: Decodable & Sendable>(
        _ path: String, _ older: Older.Type, _ words: [Word.RawValue], _ usual: Word,
        encode: @escaping @Sendable (Message) throws -> Data = { try JSONEncoder().encode(WireForm($0)) },
        _ message: @escaping @Sendable (Word) -> Message
    ) where Word.RawValue: Sendable {
        (self.path, name) = (path, "\(Word.self)")
        takesMadeUp = {
            for (madeUp, text) in [("satellite" as Any, "satellite"), (250 as Any, "250")]
            where (madeUp is String) == (Word.RawValue.self == String.self) {
                var json = try Self.object(encode(message(usual)))
                json = try #require(Self.putting(madeUp, at: path.split(separator: ".").map(String.init), in: json) as? JSON)
                let read = try JSONDecoder().decode(WireForm<Message>.self, from: JSONSerialization.data(withJSONObject: json))
                #expect(read.message == message(.unknown), "\(path)")
                #expect(read.unknown == ["\(path): \(text)"])
                // With a known word in its place and the made-up one beside it: the known one counts.
                json = try Self.object(encode(message(usual)))
                json["words"] = [path: text]
                let beside = try JSONDecoder().decode(WireForm<Message>.self, from: JSONSerialization.data(withJSONObject: json))
                #expect(beside.message == message(usual) && beside.unknown == ["\(path): \(text)"], "\(path)")
            }
        }
        isReadBy030 = {
            for word in Word.allCases {
                let data = try encode(message(word)), sent = Self.value(at: path, in: try Self.object(data))
                let isOld = words.contains { "\($0)" == "\(sent ?? "")" }
                #expect(isOld, "\(path): 0.3.0 does not know what is sent for \(word): \(sent ?? "nothing")")
                #expect(throws: Never.self, "\(path): 0.3.0 cannot decode the message with \(word)") {
                    try JSONDecoder().decode(Older.self, from: data)
                }
                #expect(try JSONDecoder().decode(WireForm<Message>.self, from: data).message == message(word), "\(path): \(word)")
                // Stored state holds the word itself.
                #expect(try JSONDecoder().decode([Word].self, from: JSONEncoder().encode([word])) == [word])
            }
        }
    }

    static func object(_ data: Data) throws -> JSON { try #require(try JSONSerialization.jsonObject(with: data) as? JSON) }

    static func value(at path: String, in json: JSON) -> Any? {
        path.split(separator: ".").reduce(json as Any?) { value, part in
            (value as? JSON)?[String(part)] ?? Int(part).flatMap { (value as? [Any])?[$0] }
        }
    }

    static func putting(_ value: Any, at path: [String], in json: Any) -> Any {
        guard let first = path.first else { return value }
        let rest = Array(path.dropFirst())
        if var object = json as? JSON {
            object[first] = object[first].map { putting(value, at: rest, in: $0) }
            return object
        }
        guard var list = json as? [Any], let index = Int(first) else { return json }
        list[index] = putting(value, at: rest, in: list[index])
        return list
    }
}

/// EDGE-6 and the alarms: box and hub of 0.3.0 and of this version read each other, whatever words come.
struct WireWordTests {
    private typealias Place = WordPlace
    private static func words<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> [Word.RawValue] { Word.allCases.map(\.rawValue) }

    private static let reportPlaces: [WordPlace] = {
        func of<Word: WireWord>(_ path: String, _ words: [Word.RawValue], _ key: any WritableKeyPath<SOSReport, Word> & Sendable)
            -> WordPlace
        {
            Place(path, In030.SOSReport.self, words, WireMessages.report[keyPath: key]) { word in
                var report = WireMessages.report
                report[keyPath: key] = word
                return report
            }
        }
        return [
            of("provenance", words(In030.Provenance.self), \.provenance), of("unprotected.0", words(In030.Absence.self), \.unprotected[0]),
            of("unprotected.1", words(In030.Absence.self), \.unprotected[1]), of("question.tier", words(In030.Tier.self), \.question!.tier),
            of("question.trigger", words(In030.Trigger.self), \.question!.trigger),
            of("warning.abnormality.trigger", words(In030.Trigger.self), \.warning!.abnormality.trigger),
            of("warning.abnormality.context", words(In030.Context.self), \.warning!.abnormality.context),
            of("alarm.provenance", words(In030.Provenance.self), \.alarm!.provenance),
            of("alarm.abnormalities.0.trigger", words(In030.Trigger.self), \.alarm!.abnormalities[0].trigger),
            of("alarm.abnormalities.0.tier", words(In030.Tier.self), \.alarm!.abnormalities[0].tier),
            of("alarm.abnormalities.0.context", words(In030.Context.self), \.alarm!.abnormalities[0].context),
            of("alarm.position.source", words(In030.PositionSource.self), \.alarm!.position!.source),
            of("calls.0.channel", words(In030.Channel.self), \.calls[0].channel),
            of("calls.0.state", words(In030.CallState.self), \.calls[0].state),
        ]
    }()

    private static let answerPlaces: [WordPlace] = {
        func of<Word: WireWord>(_ path: String, _ words: [Word.RawValue], _ key: any WritableKeyPath<SOSAnswer, Word> & Sendable)
            -> WordPlace
        {
            Place(path, In030.SOSAnswer.self, words, WireMessages.answer[keyPath: key]) { word in
                var answer = WireMessages.answer
                answer[keyPath: key] = word
                return answer
            }
        }
        return [
            of("open.provenance", words(In030.Provenance.self), \.open!.provenance),
            of("open.abnormalities.0.trigger", words(In030.Trigger.self), \.open!.abnormalities[0].trigger),
            of("open.abnormalities.0.context", words(In030.Context.self), \.open!.abnormalities[0].context),
            of("open.position.source", words(In030.PositionSource.self), \.open!.position!.source),
            of("pressed.0.button", words(In030.Button.self), \.pressed[0].button),
        ]
    }()

    private static let syncPlaces: [WordPlace] = [
        Place("cadence", In030.SyncAnswer.self, words(In030.Cadence.self), .arrival, encode: byHand) { WireMessages.sync($0) },
        Place("streams.0.refused.0.reason", In030.SyncAnswer.self, words(In030.RefusalReason.self), .range, encode: byHand) {
            WireMessages.sync(.arrival, $0)
        },
        Place("checkIns.0.standing", In030.SyncAnswer.self, words(In030.Standing.self), .accepted, encode: byHand) {
            WireMessages.sync(.arrival, .range, WireMessages.checkIn([.position], $0))
        },
        Place("answer", In030.CheckInAnswer.self, words(In030.Choice.self), .accept) {
            CheckInAnswer(id: ConsentID(high: 1, low: 7), answer: $0)
        },
        Place("outcome", In030.CheckInReply.self, words(In030.CheckInOutcome.self), .accepted) {
            CheckInReply(id: ConsentID(high: 1, low: 7), utc: WireMessages.now, outcome: $0, why: .lapsed)
        },
        Place("why", In030.CheckInReply.self, words(In030.Why.self), .lapsed) {
            CheckInReply(id: ConsentID(high: 1, low: 7), utc: WireMessages.now, outcome: .no, why: $0)
        },
    ]

    @Sendable private static func byHand(_ answer: SyncAnswer) throws -> Data { Data(answer.json()) }

    @Test(
        "EDGE-6, SOS-18: a made-up word in any place of a message is unknown there, and spoils nothing",
        arguments: reportPlaces + answerPlaces + syncPlaces)
    func madeUp(place: WordPlace) throws { try place.takesMadeUp() }

    @Test(
        "EDGE-6, SOS-18: each word is sent as one that 0.3.0 knows, and read by this version as itself",
        arguments: reportPlaces + answerPlaces + syncPlaces)
    func readBy030(place: WordPlace) throws { try place.isReadBy030() }

    @Test("SOS-18: the safe thing is what an unknown word means: an alarm, not protected, no press, a refusal")
    func meanings() {
        #expect(Tier.unknown == .critical && Provenance.unknown == .live && Context.unknown.rawValue == "unknown")
        #expect(SyncAnswer.Cadence.unknown == .interval && SOSReport.LocalCall.State.unknown == .started)
        #expect(Protection(reasons: [.unknown]).isProtected == false)
        #expect(CheckInReply.Outcome.unknown == .no && CheckIn.Standing.unknown == .open)
    }

    @Test("SOS-4: a sample's key with a kind that is not known names its sample all the same, and 0.3.0 reads each")
    func sampleKey() throws {
        for kind in DataKind.allCases {
            let data = try JSONEncoder().encode(WireForm(WireMessages.key(kind)))
            #expect(throws: Never.self, "\(kind)") { try JSONDecoder().decode(In030.SampleKey.self, from: data) }
            #expect(try JSONDecoder().decode(WireForm<SampleKey>.self, from: data).message == WireMessages.key(kind))
        }
        var json = try WordPlace.object(JSONEncoder().encode(WireMessages.key()))
        json["kind"] = 250
        let read = try JSONDecoder().decode(SampleKey.self, from: JSONSerialization.data(withJSONObject: json))
        #expect(read == WireMessages.key(.event))
    }

    @Test("SOS-10: endings are written as 0.3.0 writes them; one that is not known is unknown, and 0.3.0 reads each")
    func outcomes() throws {
        let known: [(Outcome, String)] = [
            (.answeredLate, #"{"answeredLate":{}}"#), (.falseAlarm, #"{"falseAlarm":{}}"#), (.test, #"{"test":{}}"#),
            (.finished(Owner("a")), #"{"finished":{"_0":{"id":"a"}}}"#),
        ]
        for (outcome, text) in known {
            #expect(String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(Outcome.self, from: Data(text.utf8)) == outcome)
        }
        #expect(try JSONDecoder().decode(Outcome.self, from: Data(#"{"satellite":{"_0":1}}"#.utf8)) == .unknown)
        let both = Data(#"{"satellite":{},"finished":{"_0":{"id":"a"}}}"#.utf8)
        #expect(try JSONDecoder().decode(Outcome.self, from: both) == .finished(Owner("a")))
        let unknown = try JSONEncoder().encode(Outcome.unknown)
        #expect(try JSONDecoder().decode(Outcome.self, from: unknown) == .unknown)
        #expect(throws: Never.self) { try JSONDecoder().decode(In030.Outcome.self, from: unknown) }
        #expect(throws: Never.self) { try JSONDecoder().decode(In030.Outcome.self, from: both) }
    }

    @Test("CONS-2: a check-in about a kind that a box cannot name is left out and counted, and the samples' answer is read")
    func checkInKind() throws {
        var json = try WordPlace.object(Data(WireMessages.sync().json()))
        json = try #require(WordPlace.putting("satellite", at: ["checkIns", "0", "kinds", "1"], in: json) as? WordPlace.JSON)
        let read = try JSONDecoder().decode(WireForm<SyncAnswer>.self, from: JSONSerialization.data(withJSONObject: json)).message
        #expect(read.checkIns?.items.isEmpty == true && read.checkIns?.unreadable == 1)
        #expect(read.streams == WireMessages.sync().streams)
        for kind in CheckIn.Kind.allCases {
            let data = Data(WireMessages.sync(.arrival, .range, WireMessages.checkIn([kind])).json())
            #expect(throws: Never.self, "\(kind)") { try JSONDecoder().decode(In030.SyncAnswer.self, from: data) }
        }
    }

    @Test("EDGE-6: the answer written by hand holds what the encoder writes")
    func byHandAsEncoded() throws {
        for answer in [WireMessages.sync(), WireMessages.sync(.interval, .unknown)] {
            let byHand = try WordPlace.object(Data(answer.json())), encoded = try WordPlace.object(JSONEncoder().encode(WireForm(answer)))
            #expect(NSDictionary(dictionary: byHand) == NSDictionary(dictionary: encoded))
        }
    }

    @Test("EDGE-6: words beside a message that cannot be read, and those at places that are not there, change nothing")
    func strangeWords() throws {
        for words in [#"3"#, #"[1]"#, #"{"alarm.7.trigger":"fall","":"x"}"#, #"{"revision":"fall"}"#] {
            let json = String(decoding: try JSONEncoder().encode(WireMessages.report).dropLast(), as: UTF8.self) + ",\"words\":\(words)}"
            #expect(try JSONDecoder().decode(WireForm<SOSReport>.self, from: Data(json.utf8)).message == WireMessages.report, "\(words)")
        }
    }

    @Test("EDGE-6: a box says in one field what it shows; spaces and words that this hub does not know change nothing")
    func shows() {
        for field in ["check-ins", "x,check-ins", "check-ins , y", " check-ins"] {
            #expect(SyncRoute.shows("check-ins", in: field), "\(field)")
        }
        for field in [nil, "", "check-ins2", "check", "no check-ins"] as [String?] { #expect(!SyncRoute.shows("check-ins", in: field)) }
    }

    // MARK: - Whether all are here

    @Test("EDGE-6: every enum in a message is a word of the wire, and the samples of messages above leave no field out")
    func everyEnum() {
        func look(_ value: Any, _ path: String) {
            let mirror = Mirror(reflecting: value)
            switch mirror.displayStyle {
            case .optional where mirror.children.isEmpty: Issue.record("\(path) is empty in WireMessages: fill it")
            case .enum:
                if !(value is any WireWord || value is Outcome || value is DataKind) {
                    Issue.record("\(path): \(type(of: value)) is no WireWord")
                }
            case .collection where mirror.children.isEmpty: Issue.record("\(path) is empty in WireMessages: fill it")
            default: for child in mirror.children { look(child.value, "\(path).\(child.label ?? "")") }
            }
        }
        look(WireMessages.report, "report")
        look(WireMessages.answer, "answer")
        look(WireMessages.sync(), "sync")
    }

    @Test("EDGE-6: every word of the wire stands in a place above")
    func everyWord() throws {
        var found: Set<String> = []
        for target in ["Vitals", "Distress", "SyncProtocol"] {
            let folder = Repository.url("Sources/Core/\(target)")
            for file in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where file.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                for match in text.matches(of: /(?:enum|extension|struct) (\w+): (?:String, )?WireWord/) { found.insert(String(match.1)) }
            }
        }
        let covered = Set((Self.reportPlaces + Self.answerPlaces + Self.syncPlaces).map(\.name)).union(["Column", "Kind"])
        #expect(found.subtracting(covered).isEmpty && found.count > 10)
    }
}
