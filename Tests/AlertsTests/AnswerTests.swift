import Alerts
import Languages
import Testing
import Vitals

/// How whoever is told says that they will help.
@Suite struct AnswerTests {
    @Test("SOS-20: a call says who and which key first, then the rest, and all of it twice")
    func call() {
        let call = SpokenText.call(.sample(), in: .english)
        #expect(
            call.prefix(3) == [
                "This is an automatic emergency call for Maria Rossi, 71 years old.", "Press 1 to help.",
                "The heart rate is too high: 182 per minute. The limit is 160.",
            ])
        let rest = SpokenText.sentences(.sample(), in: .english).count + 1
        #expect(call.count == 2 * rest + 1 && call[rest] == "I repeat." && call.prefix(rest) == call.suffix(rest))
        #expect(
            SpokenText.call(.sample(), in: .italian).prefix(2) == [
                "Questa è una chiamata di emergenza automatica per Maria Rossi, 71 anni.", "Per aiutare premi 1.",
            ])
    }

    @Test("SOS-19: in a test the key confirms the test, after it is said to be one")
    func drill() {
        let english = SpokenText.call(.sample(status: .test), in: .english), italian = SpokenText.call(.sample(status: .test), in: .italian)
        #expect(english[0].hasPrefix("This is a test.") && english[2] == "Press 1 to confirm this test.", "\(english)")
        #expect(italian[0].hasPrefix("Questa è una prova.") && italian[2] == "Per confermare questa prova premi 1.", "\(italian)")
        #expect(!(english + italian).contains { $0.contains("to help") || $0.contains("aiutare") })
    }

    @Test("SOS-20: a text says how to answer it, also where there is little room")
    func text() {
        let reply = SMSText.text(.sample(), in: .english, answer: .reply)
        #expect(
            reply.hasPrefix(
                "SOS Maria Rossi, 71: heart rate too high 182/min (>160). 45.46420,9.18998 +-12 m, 8 s ago. To help, answer OK. Tel +39"),
            "\(reply)")
        #expect(SMSText.text(.sample(), in: .italian, answer: .reply).contains("8 s fa. Per aiutare rispondi OK. Tel"))
        let page = "https://hub.example/sos/0123456789abcdef0123456789abcdef"
        let linked = SMSText.text(.sample(web: page), in: .english, partsMax: 3, answer: .page(page))
        #expect(linked.contains("8 s ago. To help: \(page). Tel"), "\(linked)")
        #expect(linked.ranges(of: page).count == 1 && linked.contains("openstreetmap.org"), "\(linked)")
        #expect(SMSText.text(.sample(status: .test), in: .english, answer: .reply).contains("To confirm this test, answer OK."))
        #expect(SMSText.text(.sample(status: .test), in: .italian, answer: .reply).contains("Per confermare questa prova rispondi OK."))
        for name in hostileNames {
            let text = SMSText.text(.sample(name: name), in: .italian, answer: .reply)
            #expect(text.contains("Per aiutare rispondi OK") && SMSLength(text).parts <= 2, "\(text)")
        }
    }

    @Test("SOS-20: a text without measured values says the cause, and where")
    func withoutValues() {
        let text = SMSText.text(.sample(), in: .english, withValues: false)
        #expect(text.hasPrefix("SOS Maria Rossi, 71: heart rate too high. 45.46420,9.18998 +-12 m, 8 s ago"), "\(text)")
        for record in [SOSRecord.sample(), .sample(kind: .update, takenBy: "Berta")] {
            #expect(SMSText.text(record, in: .english, partsMax: 10).contains("182/min"))
            #expect(!SMSText.text(record, in: .english, partsMax: 10, withValues: false).contains("/min"))
        }
    }

    @Test("SOS-20: nobody is asked for an answer when it is over, or somebody has it", arguments: Language.allCases)
    func noAnswer(language: Language) {
        for record in [SOSRecord.sample(kind: .cancel, ending: .falseAlarm), .sample(kind: .update, takenBy: "Berta")] {
            let text = SMSText.text(record, in: language, answer: .reply), call = SpokenText.call(record, in: language).joined()
            #expect(!text.contains("OK") && !call.contains(" 1 to") && !call.contains("premi 1"), "\(text) \(call)")
        }
    }

    @Test("SOS-20: whoever took it is asked whether somebody is there, in every format")
    func whoIsThere() {
        var record = SOSRecord.sample(kind: .update, takenBy: "Centrale 118")
        record.asksWhoIsThere = true
        let question = "Is somebody with the person now? Please answer: otherwise others are called again"
        #expect(SpokenText.sentences(record, in: .english).contains(question + "."))
        let text = SMSText.text(record, in: .english, answer: .reply)
        #expect(text.hasPrefix("SOS Update Maria Rossi, 71: \(question). If so, answer OK. Tel +39"), "\(text)")
        #expect(SMSText.text(record, in: .italian, answer: .reply).contains(" altri. Se sì, rispondi OK."))
        let call = SpokenText.call(record, in: .english)
        #expect(call.count == 7 && call[1] == question + "." && call[2] == "If so, press 1.", "\(call)")
        #expect(SpokenText.call(record, in: .italian).contains("Se sì, premi 1."))
        #expect(string(CAPAlert.xml(record, language: .english)).contains(question))
        #expect(string(HookJSON.json(record, language: .italian)).contains("C'è qualcuno con la persona adesso?"))
    }
}
