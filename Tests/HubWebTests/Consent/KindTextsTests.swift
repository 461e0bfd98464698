import Testing
import Vitals

@testable import HubWeb

struct KindTextsTests {
    @Test(
        "ACC-12, DATA-1: each kind that can be asked for has a name in each language, as a word and as the label of a field",
        arguments: DataKind.allCases)
    func names(kind: DataKind) throws {
        guard kind.entry.uses.contains(.asked) else { return }
        for texts in Texts.all {
            #expect(texts.find("kind.\(kind.name)")?.isEmpty == false, "\(texts.lang)")
            #expect(texts.find("field.kind\(kind.rawValue)")?.isEmpty == false, "\(texts.lang)")
        }
        #expect(Set(Texts.all.map { $0["kind.\(kind.name)"] }).count == Texts.all.count || kind == .position, "\(kind) is not translated")
    }

    @Test("CONS-2: kinds are named apart, and all of them together as that")
    func lists() {
        let english = Texts.of("en"), italian = Texts.of("it")
        #expect(english.kinds([.heartRate, .position]) == "heart rate and position")
        #expect(english.kinds([.heartRate, .rrIntervals, .weight]) == "heart rate, time between heartbeats (RR intervals) and weight")
        #expect(italian.kinds([.heartRate, .sleep]) == "frequenza cardiaca e sonno")
        #expect(english.kinds(Set(DataKind.allCases)) == "all kinds of data")
    }
}
