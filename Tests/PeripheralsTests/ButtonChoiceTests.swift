import Foundation
import Sensing
import TestSupport
import Testing

@testable import Peripherals

@Suite(.timeLimit(.minutes(1)))
struct ButtonChoiceTests {
    private static let phone: UInt16 = 169
    private static let volumeUp: UInt16 = 115
    private static let power: UInt16 = 116

    @Test("EDGE-12: a button is taken by itself only when nothing else can be meant")
    func automatic() {
        func keys(_ keys: Set<UInt16>, more: Bool = false, wanted: Set<UInt16>? = nil) -> Set<UInt16>? {
            InputAbilities(name: "A", keys: keys, doesMore: more).keys(for: .automatic, wanted: wanted)
        }
        #expect(keys([Self.phone]) == [Self.phone])
        #expect(keys([Self.phone, Self.power]) == [Self.phone])
        #expect(keys([Self.power]) == nil)
        #expect(keys([Self.power], wanted: [Self.power]) == nil)
        #expect(keys([Self.volumeUp, Self.volumeUp - 1]) == nil)
        #expect(keys([Self.volumeUp, Self.volumeUp - 1], wanted: [Self.volumeUp]) == [Self.volumeUp])
        #expect(keys([Self.phone], more: true) == nil)
        #expect(keys(Set(1...200)) == nil)
        #expect(keys([]) == nil)
    }

    @Test("EDGE-12: a device that was chosen may have any keys but those that switch the box off")
    func chosen() {
        let keyboard = InputAbilities(name: "A keyboard", keys: Set(1...200), doesMore: true)
        #expect(keyboard.keys(for: .name("A keyboard"), wanted: nil) == Set(1...200).subtracting([Self.power, 142, 143]))
        #expect(keyboard.keys(for: .name("A keyboard"), wanted: [Self.volumeUp, 500]) == [Self.volumeUp])
        #expect(keyboard.keys(for: .path("/dev/input/event3"), wanted: [500]) == nil)
        #expect(keyboard.keys(for: .name("Another"), wanted: nil) == nil)
    }

    @Test("EDGE-12: device and keys are read from text")
    func texts() {
        #expect(ButtonChoice("auto") == .automatic)
        #expect(ButtonChoice("/dev/input/event3") == .path("/dev/input/event3"))
        #expect(ButtonChoice("AB Shutter3") == .name("AB Shutter3"))
        #expect(ButtonChoice("") == nil)
        #expect(ButtonKeys.code("KEY_PHONE") == Self.phone)
        #expect(ButtonKeys.code("44") == 44)
        #expect(ButtonKeys.name(44) == "key 44")
        for bad in ["116", "KEY_POWER", "0", "768", "-1", "phone", ""] { #expect(ButtonKeys.code(bad) == nil, "\(bad)") }
    }

    /// The first event of a reader.
    private func first(_ configuration: ButtonReader.Configuration) async throws -> ButtonEvent? {
        let (events, feed) = AsyncStream.makeStream(of: ButtonEvent.self, bufferingPolicy: .bufferingOldest(16))
        let reader = ButtonReader(configuration: configuration) { feed.yield($0) }
        try reader.start()
        defer { reader.stop() }
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }

    @Test("EDGE-12: without a button the reader says so, and what to do")
    func none() async throws {
        let directory = try TemporaryDirectory()
        var configuration = ButtonReader.Configuration()
        configuration.directory = directory.url.path
        guard case .lost(let problem, _)? = try await first(configuration) else {
            Issue.record("nothing told")
            return
        }
        #expect(problem.what == "No button was found among 0 input devices" && problem.retries)
        // A file that is no device at all.
        try Data().write(to: directory.url.appendingPathComponent("event0"))
        configuration.device = .path(directory.url.appendingPathComponent("event0").path)
        guard case .lost(let other, _)? = try await first(configuration) else {
            Issue.record("nothing told")
            return
        }
        #expect(other.what.contains("is no input device that can be read"))
        configuration.device = .name("AB Shutter3")
        guard case .lost(let missing, _)? = try await first(configuration) else {
            Issue.record("nothing told")
            return
        }
        #expect(missing.what == "The button AB Shutter3 is not there")
    }
}
