import Alerts
import Languages
import Testing
import Vitals

@Suite struct SMSTests {
    @Test("SOS-6: the length of a short message is counted as the network does")
    func lengths() {
        func length(_ text: String) -> [Int] { [SMSLength(text).units, SMSLength(text).parts] }
        #expect(length("") == [0, 0])
        #expect(length(String(repeating: "a", count: 160)) == [160, 1] && length(String(repeating: "a", count: 161)) == [161, 2])
        #expect(length(String(repeating: "a", count: 306)) == [306, 2] && length(String(repeating: "a", count: 307)) == [307, 3])
        #expect(length("àèéìòùÄÖÑÜ§ñüß@£$¥") == [18, 1] && SMSLength("àèéìòù").alphabet == .gsm7)
        // Two septets each; one that does not fit at the end of a part moves on whole.
        #expect(length("{}[]~^|\\€") == [18, 1])
        #expect(length(String(repeating: "a", count: 152) + "€" + String(repeating: "a", count: 152)) == [306, 3])
        #expect(SMSLength("ç").alphabet == .ucs2 && length(String(repeating: "李", count: 70)) == [70, 1])
        #expect(length(String(repeating: "李", count: 71)) == [71, 2] && length(String(repeating: "🫀", count: 35)) == [70, 1])
        #expect(length(String(repeating: "🫀", count: 67)) == [134, 3])
    }

    @Test("SOS-6: the text for people says who, why, where, how exactly, how long ago and the phone, in two messages")
    func text() {
        let text = SMSText.text(.sample(), in: .english)
        #expect(
            text.hasPrefix(
                "SOS Maria Rossi, 71: heart rate too high 182/min (>160). 45.46420,9.18998 +-12 m, 8 s ago. Tel +39 333 0000000. "
                    + "The person was asked and did not answer. https://www.openstreetmap.org/?mlat=45.46420&mlon=9.18998"), "\(text)")
        #expect(SMSLength(text).parts == 2 && SMSLength(text).alphabet == .gsm7)
        let italian = SMSText.text(.sample(), in: .italian)
        #expect(italian.hasPrefix("SOS Maria Rossi, 71: frequenza cardiaca troppo alta 182/min (>160). 45.46420,9.18998 +-12 m, 8 s fa."))
        #expect(SMSLength(italian).alphabet == .gsm7)
        let one = SMSText.text(.sample(), in: .english, partsMax: 1)
        #expect(SMSLength(one).parts == 1 && one.contains("45.46420,9.18998") && one.contains("Tel +39"))
    }

    @Test("SOS-6: without a position the text says so instead")
    func noPosition() {
        #expect(SMSText.text(.sample(place: .unknown(.noFix)), in: .english).contains("/min (>160). The position is not known. Where the"))
        #expect(SMSText.text(.sample(place: .unknown(.switchedOff)), in: .italian).contains("La posizione non è nota: la persona"))
    }

    @Test("SOS-10, SOS-19: the first words say that it is a test, an update or a false alarm")
    func heads() {
        #expect(SMSText.text(.sample(status: .test), in: .english).hasPrefix("TEST, no emergency, send nobody: Maria Rossi"))
        #expect(SMSText.text(.sample(status: .test), in: .italian).hasPrefix("PROVA, nessuna emergenza, non inviare nessuno: Maria Rossi"))
        #expect(SMSText.text(.sample(kind: .update), in: .english).hasPrefix("SOS Update Maria Rossi"))
        let cancel = SMSText.text(.sample(kind: .cancel, ending: .falseAlarm), in: .english)
        #expect(cancel.hasPrefix("SOS Stand down, false alarm: Maria Rossi, 71. Tel"))
        #expect(
            SMSText.text(.sample(kind: .cancel, status: .test, ending: .testOver), in: .english)
                .hasPrefix("TEST, no emergency, send nobody: The test is over"))
    }

    @Test("SOS-20: that somebody has taken it is told as an update with the place, by name, and never as the end of the emergency")
    func taken() {
        let text = SMSText.text(.sample(kind: .update, takenBy: "Berta"), in: .english)
        #expect(
            text.hasPrefix("SOS Update Maria Rossi, 71: Berta has taken this alarm, nobody else is called. 45.46420,9.18998"), "\(text)")
        #expect(text.contains("Tel +39 333 0000000. heart rate too high 182/min") && !text.contains("over"), "\(text)")
        let own = SOSRecord.sample(kind: .update, takenBy: "Berta", recipient: .init(name: "Berta", address: "tel:+39"))
        #expect(SMSText.text(own, in: .english).contains("71: You have taken this alarm"))
        #expect(SMSText.text(.sample(kind: .update, takenBy: ""), in: .italian).contains("Qualcuno ha preso in carico l'allarme"))
        #expect(SpokenText.sentences(own, in: .italian)[1] == "Hai preso in carico l'allarme, non si chiama nessun altro.")
        #expect(string(HookJSON.json(own, language: .english)).contains(#""takenBy":"Berta""#))
        for name in hostileNames {
            let hostile = SMSText.text(.sample(kind: .update, name: name, takenBy: name), in: .italian)
            #expect(SMSLength(hostile).parts <= 2 && hostile.contains("45.46420,9.18998"), "\(hostile)")
        }
    }

    @Test("SOS-6: a reading that is no longer new is told in the past tense with its age, and an update says when the alarm was raised")
    func past() {
        let old = SOSRecord.sample(kind: .update, sentLater: 180_000)
        let text = SMSText.text(old, in: .english)
        #expect(text.hasPrefix("SOS Update Maria Rossi, 71: heart rate too high 182/min (>160), 3 min ago. 45.46420"), "\(text)")
        let spoken = SpokenText.sentences(old, in: .english)
        #expect(spoken[1] == "The heart rate was too high: 182 per minute, 3 minutes ago. The limit is 160.", "\(spoken[1])")
        #expect(spoken.last == "The alarm was raised 3 minutes ago.", "\(spoken)")
        let italian = SpokenText.sentences(old, in: .italian)
        #expect(italian[1] == "La frequenza cardiaca era troppo alta: 182 al minuto, 3 minuti fa. Il limite è 160.", "\(italian[1])")
        #expect(italian.last == "L'allarme è scattato 3 minuti fa.")
        #expect(old.lateBy == 182_000 && SOSRecord.sample(kind: .cancel, sentLater: 180_000).lateBy == nil)
        // Seconds are now.
        #expect(
            SpokenText.sentences(.sample(sentLater: 5000), in: .english)[1].hasPrefix("The heart rate is too high: 182 per minute. The"))
    }

    @Test("SOS-6: whatever the name, the text keeps to its messages and says where", arguments: hostileNames, 1...3)
    func bounded(name: String, parts: Int) {
        for status in [SOSRecord.Status.actual, .test] {
            for kind in SOSRecord.Kind.allCases {
                let text = SMSText.text(.sample(kind: kind, status: status, name: name, address: name), in: .italian, partsMax: parts)
                let length = SMSLength(text)
                // One message in 70 characters cannot hold the mark of a test, the reason and the place: those are never left out.
                if length.alphabet == .gsm7 || parts > 1 { #expect(length.parts <= parts, "\(length) \(text)") }
                #expect(kind == .cancel || text.contains("45.46420,9.18998"))
                #expect(!text.contains("\n") && !text.contains("\r"))
            }
        }
    }

    @Test("SOS-6: curly quotation marks do not halve the room")
    func typography() {
        #expect(SMSLength(SMSText.text(.sample(name: "Sinead O\u{2019}Connor \u{2013} \u{201C}S\u{201D}"), in: .english)).alphabet == .gsm7)
    }

    @Test("SOS-6: the AML text has the position, its time and accuracy, and its own whole length")
    func aml() throws {
        let text = try #require(AMLText.text(.sample()))
        #expect(text == "A\"ML=1;lt=+45.46420;lg=+9.18998;rd=12;top=20261121030357;lc=95;pm=G;ml=73")
        #expect(text.utf8.count == 73 && SMSLength(text).parts == 1)
    }

    @Test(
        "SOS-6: the AML text counts itself right, whatever the position",
        arguments: [Int32.min / 2, -1_800_000_000, -1, 0, 1, 91_899_820], [nil, 0, 118, Int32.max])
    func amlLength(longitude: Int32, error: Int32?) throws {
        for source in PositionSource.allCases {
            let position = PositionSample(
                time: -5_000_000_000_000, latitude: -454_642_035, longitude: longitude, horizontalError: error, source: source)
            let text = try #require(AMLText.text(.sample(place: .known(position))))
            #expect(text.hasSuffix(";ml=\(text.utf8.count)") && text.contains(";lt=-45.46420;lg=") && !text.contains("lg=-0.00000"))
            #expect(text.contains(error == nil ? ";rd=N;" : ";rd=\((Int(error ?? 0) + 9) / 10);"))
        }
    }

    @Test("SOS-6, SOS-19: no AML text without a position, which would read as 0, 0, and none for a drill, which it cannot say")
    func noAML() {
        #expect(AMLText.text(.sample(place: .unknown(.noFix))) == nil)
        #expect(AMLText.text(.sample(status: .test)) == nil && AMLText.text(.sample(status: .exercise)) == nil)
    }
}
