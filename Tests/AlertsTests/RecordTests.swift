import Alerts
import Languages
import Testing
import Vitals

@Suite struct RecordTests {
    @Test("SOS-6: a time is told on the clock of the place, with its offset and never with Z")
    func times() {
        #expect(SOSTime(utc: someTime).text == "2026-11-21T03:04:05+00:00")
        #expect(SOSTime(utc: someTime, offsetMinutes: -210).text == "2026-11-20T23:34:05-03:30")
        #expect(SOSTime(utc: 0, offsetMinutes: 60).text == "1970-01-01T01:00:00+01:00")
        #expect(SOSTime(utc: .min, offsetMinutes: -99_999).text.hasSuffix("-23:59"))
        #expect(SOSTime(utc: .max, offsetMinutes: 99_999).text == "9999-12-31T23:59:59+23:59")
    }

    @Test("SOS-6: the age is right up to the birthday, and not made up on a box without a clock")
    func ages() {
        let person = SOSPerson(name: "", birth: SOSPerson.Birth(year: 1955, month: 11, day: 21))
        #expect(person.age(at: SOSTime(utc: someTime)) == 71)
        #expect(person.age(at: SOSTime(utc: someTime, offsetMinutes: -210)) == 70)
        #expect(person.age(at: SOSTime(utc: -900_000_000_000)) == nil)
        #expect(
            SOSPerson(name: "", age: 40).age(at: SOSTime(utc: 0)) == 40 && SOSPerson(name: "", age: 151).age(at: SOSTime(utc: 0)) == nil)
        #expect(SOSPerson.Birth(year: 2025, month: 2, day: 29) == nil)
    }

    @Test("SOS-9: an emergency that two saw is one, under both names")
    func aliases() throws {
        let record = SOSRecord(
            incident: "a1", aliases: ["b 2"], status: .actual, sentAt: SOSTime(utc: 0), sender: .hub, recipient: .hub,
            person: SOSPerson(name: ""), place: .unknown(.noFix), cause: .help, question: .notAsked, raisedAt: 0)
        #expect(try Element(CAPAlert.xml(record, language: .english))["incidents"].text == "a1 b-2")
        #expect(string(HookJSON.json(record, language: .english)).contains("\"incident\":\"a1\",\"aliases\":[\"b-2\"]"))
    }

    @Test("SOS-6: everything is bounded, and the first and last of a long history stay")
    func bounds() {
        let long = (0..<10_000).map { SOSReading(time: Int64($0), value: .heartRate($0)) }
        let record = SOSRecord.sample(history: long)
        #expect(record.history.count == SOSRecord.historyMax && record.history.first == long.first && record.history.last == long.last)
        let many = SOSRecord(
            incident: "a b/c" + String(repeating: "x", count: 99), number: -4, status: .actual, sentAt: SOSTime(utc: 0), sender: .hub,
            recipient: .hub,
            person: SOSPerson(name: "", languages: Array(repeating: "it", count: 9)), place: .unknown(.noFix), cause: .help,
            question: .notAsked,
            raisedAt: 0, readings: long)
        #expect(many.incident.hasPrefix("a-b-cx") && many.incident.utf8.count == 64 && many.number == 1)
        #expect(many.readings == Array(long.suffix(SOSRecord.readingsMax)) && many.person.languages.count == 5)
    }
}
