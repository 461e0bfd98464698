import BlueZ
import Foundation
import Languages
import SampleBuffer
import Seams
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// What a box takes over of an earlier one, and what it hands on.
struct TakeOverTests {
    private static let person = BoundPerson(person: PersonID(high: 1, low: 1), name: "Made up")

    /// - Parameter yaml: below `trackme`.
    private func configuration(_ directory: TemporaryDirectory, _ yaml: String = "role: phone") async throws -> AgentConfiguration {
        let file = directory.url.appendingPathComponent("agent.yaml")
        try Data("trackme:\n  \(yaml)\n".utf8).write(to: file)
        return try await AgentConfiguration.load(stateDirectory: directory.url.path, file: file.path)
    }

    private func offer(_ kept: KeptSettings = .sample, on configuration: AgentConfiguration) throws -> TakeOver {
        try #require(TakeOver.offers(KeptSettingsList([kept]), to: [Self.person], on: configuration, machine: .system).first)
    }

    @Test("EDGE-16: sensors, kinds, role, language and limits hold from the next start on, as the earlier box had them")
    func taken() async throws {
        let directory = try TemporaryDirectory(), before = try await configuration(directory)
        #expect(before == AgentConfiguration(stateDirectory: directory.url.path))
        #expect(try offer(on: before).keep(in: StateDirectory(directory.url.path)) == nil)
        let after = try await configuration(directory)
        #expect(after.role == .gateway && after.language == .italian && after.hubSilence == nil)
        #expect(after.buffer.retention == 30 * 86_400_000 && after.requestLimit == 60_000)
        #expect(after.buffer.bytesMax == before.buffer.bytesMax && after.button == before.button, "these are the other box's own")
        let choices = BoxSettings.load(from: try StateDirectory(directory.url.path)).settings[Self.person.person]
        #expect(choices.sensor?.description == "C4:01:02:03:04:05/random" && choices.sensorName == "Strap of Ada")
        #expect(choices.others?.map(\.address.description) == ["C4:01:02:03:04:06/random"])
        // And so the box hands on what it has from then on.
        let copy = BoxSettingsCopy(choices, after)
        var expected = KeptSettings.sample.settings
        for key in ["buffer.bytes", "button.device", "button.long", "from.later"] { expected.configuration[key] = nil }
        #expect(copy == expected && copy.isPlausible)
    }

    @Test("EDGE-16: each line says what is taken over, or why not, in both languages")
    func lines() async throws {
        let directory = try TemporaryDirectory()
        let offer = try offer(on: try await configuration(directory, "request:\n    seconds: 45"))
        let english = offer.lines(in: .english), italian = offer.lines(in: .italian)
        #expect(english.contains("Heart-rate sensor: Strap of Ada") && english.contains("Further sensor: C4:01:02:03:04:06/random"))
        #expect(english.contains("Use: stays at home") && english.contains("Not collected: position"))
        #expect(english.contains("Minutes without the hub until contacts are told: never"))
        for (start, why) in [
            ("Button: /dev/input/by-id/made-up", "kept.not.button"), ("Storage on the box, bytes: 1048576", "kept.not.disk"),
            ("Seconds to wait for the hub: 60", "kept.not.own"), ("from.later: 1", "kept.not.unknown"),
        ] { #expect(english.contains("\(start) – \(Wording(.english)[why])"), "\(start)") }
        #expect(italian.count == english.count && italian.contains("Uso: sta a casa") && Set(italian).isDisjoint(with: english.prefix(6)))
        #expect(!(english + italian).contains { $0.contains("kept.") })
        for setting in HandedOnSetting.all {
            for key in [Optional("kept.\(setting.key)"), setting.belongsToBox].compactMap(\.self) {
                #expect(Wording(.english).words[key] != nil, "\(key)")
            }
        }
    }

    @Test("EDGE-16: what this box's own file says wins, and a damaged file of what was taken over is none, and said")
    func own() async throws {
        let directory = try TemporaryDirectory(), yaml = "language: it\n  request:\n    seconds: 45"
        let first = try offer(on: try await configuration(directory))
        #expect(try first.keep(in: StateDirectory(directory.url.path)) == nil)
        let own = try await configuration(directory, yaml)
        #expect(own.language == .italian && own.requestLimit == 45_000 && own.role == .gateway && own.takenProblem == nil)
        let file = directory.url.appendingPathComponent("taken.json")
        try Data("{\"role\": 7".utf8).write(to: file)
        let damaged = try await configuration(directory)
        #expect(damaged.role == .phone && damaged.takenProblem?.hasPrefix("\(file.path) is damaged: ") == true)
        try Data("{\"role\": \"lamp\", \"language\": \"it\"}".utf8).write(to: file)
        let odd = try await configuration(directory)
        #expect(odd.role == .phone && odd.language == .italian)
        #expect(odd.takenProblem?.hasPrefix("\(file.path): trackme.role is \"lamp\": ") == true, "\(odd.takenProblem ?? "nothing said")")
        // A directory in a file's place cannot be read, whoever asks.
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let unread = try await configuration(directory)
        #expect(unread.role == .phone && unread.takenProblem?.hasPrefix("\(file.path) cannot be read: ") == true)
    }

    @Test("EDGE-16: words that this box does not know are told, and nothing else is lost by them")
    func unknown() async throws {
        let directory = try TemporaryDirectory(), configuration = try await configuration(directory)
        let settings = BoxSettingsCopy(
            sensor: .init(address: "what", name: "Odd"), off: ["heartRate", "sleep"], configuration: ["role": "lamp", "language": "it"])
        let offer = try offer(KeptSettings(box: "Box", changed: 0, settings: settings), on: configuration)
        #expect(offer.items.filter { $0.not == nil }.map(\.words) == ["kept.off", "kept.language"])
        #expect(offer.items.filter { $0.not == "kept.not.unknown" }.map(\.value) == ["Odd", "sleep", "lamp"])
        #expect(try offer.keep(in: StateDirectory(directory.url.path)) == nil)
        let choices = BoxSettings.load(from: try StateDirectory(directory.url.path)).settings[Self.person.person]
        #expect(choices.sensor == nil && choices.sensorName == nil && choices.kinds == Kinds(heartRate: false, position: true))
    }

    @Test("EDGE-13, EDGE-16: who had the sensor at this box before has it no more, a pause goes on, and damaged choices are said")
    func others() async throws {
        let directory = try TemporaryDirectory(), state = try StateDirectory(directory.url.path)
        let before = PersonID(high: 1, low: 2), pause = BoxSettings.Pause(boot: BootID(high: 1, low: 1), until: 5, utc: 0)
        var settings = BoxSettings()
        settings.use(try #require(SensorAddress("C4:01:02:03:04:05/random")), name: nil, for: before)
        settings[Self.person.person].pause = pause
        try settings.save(to: state)
        let offer = try offer(on: try await configuration(directory))
        #expect(try offer.keep(in: state) == nil)
        let kept = BoxSettings.load(from: state).settings
        #expect(kept[before].sensor == nil && kept[Self.person.person].sensor != nil && kept[Self.person.person].pause == pause)
        try state.write(Array("{nonsense".utf8), to: "settings.json")
        #expect(try offer.keep(in: state)?.contains("was damaged") == true)
        #expect(BoxSettings.load(from: state).settings[Self.person.person].sensorName == "Strap of Ada")
    }

    @Test("EDGE-16: nothing is offered to a box of several people, nor to one at which the person has chosen a sensor")
    func notOffered() async throws {
        let directory = try TemporaryDirectory(), configuration = try await configuration(directory), list = KeptSettingsList([.sample])
        let other = BoundPerson(person: PersonID(high: 1, low: 2), name: "Other")
        #expect(TakeOver.offers(list, to: [Self.person, other], on: configuration, machine: .system).isEmpty)
        #expect(TakeOver.offers(nil, to: [Self.person], on: configuration, machine: .system).isEmpty)
        #expect(try offer(on: configuration).keep(in: StateDirectory(directory.url.path)) == nil)
        #expect(TakeOver.offers(list, to: [Self.person], on: configuration, machine: .system).isEmpty)
        #expect(TakeOver.offers(list, to: [other], on: configuration, machine: .system).count == 1)
    }

    @Test(
        "EDGE-16: the command line takes over what was named or typed, and otherwise nothing",
        arguments: [
            (nil, ["2"], "Old"), (nil, ["9", "x", " 1 "], "Kitchen"), (nil, [""], nil), (nil, [], nil), ("last", nil, "Kitchen"),
            ("Old", nil, "Old"), ("none", ["1"], nil), ("Cellar", ["1"], nil), (nil, nil, nil),
        ] as [(String?, [String]?, String?)])
    func asked(wanted: String?, typed: [String]?, taken: String?) async throws {
        let directory = try TemporaryDirectory(), configuration = try await configuration(directory)
        var old = KeptSettings.sample, lines: [String] = [], answers = typed ?? []
        old.box = "Old"
        let offers = TakeOver.offers(KeptSettingsList([.sample, old]), to: [Self.person], on: configuration, machine: .system)
        let ask: (() -> String?)? = typed == nil ? nil : { answers.isEmpty ? nil : answers.removeFirst() }
        let choice = EarlierSettings(wanted: wanted, language: .english, say: { lines.append($0) }, ask: ask)
        #expect(choice.choose(offers)?.box == taken)
        if taken != nil { #expect(lines.contains { $0.contains("Heart-rate sensor: Strap of Ada") }, "what it will be is said") }
        #expect((wanted == "none") == lines.isEmpty)
    }
}
