import Testing
import Vitals

@testable import Distress

@Suite struct IncidentIDTests {
    @Test("SHA-256 of FIPS 180-4's examples, and of a million bytes' boundary cases")
    func examples() {
        #expect(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test("SOS-9: box and hub come to the same id, and each part of the reading's identity makes another one")
    func parts() {
        let person = PersonID(high: 1, low: 2), stream = StreamID(high: 3, low: 4)
        let key = SampleKey(stream: stream, sequence: 5, kind: .heartRate, index: 6)
        let id = IncidentID(person: person, first: key)
        #expect(id == IncidentID(person: PersonID(high: 1, low: 2), first: key))
        // Fixed for good: both sides may run different versions.
        #expect(id.description == "cf408da65d49d2acde2d56221e673cb2")
        var others = [IncidentID(person: PersonID(high: 1, low: 3), first: key)]
        for change in [\SampleKey.sequence] as [WritableKeyPath<SampleKey, UInt64>] {
            var other = key
            other[keyPath: change] += 1
            others.append(IncidentID(person: person, first: other))
        }
        others.append(IncidentID(person: person, first: SampleKey(stream: stream, sequence: 5, kind: .heartRate, index: 7)))
        others.append(IncidentID(person: person, first: SampleKey(stream: stream, sequence: 5, kind: .event, index: 6)))
        others.append(
            IncidentID(person: person, first: SampleKey(stream: StreamID(high: 3, low: 5), sequence: 5, kind: .heartRate, index: 6)))
        #expect(Set(others + [id]).count == 6)
    }

    private func hex(_ text: String) -> String { Hexadecimal.string(SHA256.hash(Array(text.utf8))) }
}
