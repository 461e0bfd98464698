import Alerts
import Languages
import Testing
import Vitals

/// A contact's mail.
@Suite struct LetterTests {
    private static let page = "https://hub.example/sos/0123456789abcdef0123456789abcdef"
    private static let bruno = SOSRecord.Party(name: "Bruno", address: "bruno@example.org")

    private static func record(status: SOSRecord.Status = .actual, place: SOSPlace = .milan) -> SOSRecord {
        .sample(status: status, place: place, raised: someTime - 182_000, web: page, recipient: bruno)
    }

    @Test("SOS-20: a contact's mail is a letter: who, since when, what to do, where, with the telephone and a map as links")
    func english() {
        let letter = LetterText.letter(Self.record(), in: .english, withValues: true)
        #expect(letter.subject == "SOS: Maria Rossi needs help")
        #expect(
            letter.text == """
                Dear Bruno,

                Maria Rossi, 71 years old, needs help.

                Since: 04:01 (UTC+1) (3 minutes ago)
                Reason: heart rate too high: 182 per minute, limit 160
                The person was asked and did not answer.

                What to do:
                1. Call Maria Rossi: tel:+393330000000
                2. Open this page and tap “I see to it”. Then the others know that you are on it:
                   \(Self.page)
                3. Go there. If you cannot, or if nobody answers, call 112 and say where it is.

                Where:
                45.46420, 9.18998, within 12 metres, 8 seconds ago (satellites)
                Map: https://www.openstreetmap.org/?mlat=45.46420&mlon=9.18998
                Home address: Via Roma 1, Milano

                You get this because Maria Rossi wants you to be told in an emergency.

                """)
    }

    @Test("SOS-20: a letter says why and tells no vital signs, unless the person chose so")
    func values() {
        for (language, reason) in [
            (Language.english, "Reason: heart rate too high\n"), (.italian, "Motivo: frequenza cardiaca troppo alta\n"),
        ] {
            let letter = LetterText.letter(Self.record(), in: language).text
            #expect(letter.contains(reason) && !letter.contains("182") && !letter.contains("160"))
            #expect(LetterText.letter(Self.record(), in: language, withValues: true).text.contains("182"))
        }
    }

    @Test("SOS-20: the letter in Italian")
    func italian() {
        let letter = LetterText.letter(Self.record(), in: .italian, withValues: true)
        #expect(letter.subject == "SOS: Maria Rossi ha bisogno di aiuto")
        #expect(
            letter.text == """
                Buongiorno Bruno,

                Maria Rossi, 71 anni, ha bisogno di aiuto.

                Da: 04:01 (UTC+1) (3 minuti fa)
                Motivo: frequenza cardiaca troppo alta: 182 al minuto, limite 160
                La persona è stata interpellata e non ha risposto.

                Che cosa fare:
                1. Chiama Maria Rossi: tel:+393330000000
                2. Apri questa pagina e tocca «Me ne occupo io». Così gli altri sanno che te ne occupi tu:
                   \(Self.page)
                3. Vai sul posto. Se non puoi, o se nessuno risponde, chiama il 112 e di' dov'è.

                Dove:
                45.46420, 9.18998, entro 12 metri, 8 secondi fa (satelliti)
                Mappa: https://www.openstreetmap.org/?mlat=45.46420&mlon=9.18998
                Indirizzo di casa: Via Roma 1, Milano

                Ricevi questo messaggio perché Maria Rossi vuole che tu sia avvisato in caso di emergenza.

                """)
    }

    @Test("SOS-20: without a position the letter promises a second one, which says where the person is")
    func second() {
        let first = LetterText.letter(Self.record(place: .unknown(.noFix)), in: .english).text
        #expect(first.contains("The position is not known. You get another mail as soon as the position is known."), "\(first)")
        #expect(!first.contains("Map:") && first.contains("Where the person lives, perhaps not where they are: Via Roma 1, Milano"))
        let second = LetterText.letter(Self.record(), in: .italian, isAboutPlace: true)
        #expect(second.subject == "SOS: dove si trova Maria Rossi" && second.text.contains("Ora sappiamo dove si trova Maria Rossi."))
    }

    @Test("SOS-19: the letter of a test says so first, asks for nothing but to confirm it, and tells nobody to go anywhere")
    func drill() {
        let english = LetterText.letter(Self.record(status: .test), in: .english)
        #expect(english.subject == "TEST, no emergency: Maria Rossi")
        #expect(english.text.contains("This is a test. There is no emergency") && english.text.contains("confirm that the test arrived"))
        #expect(!english.text.contains("112") && !english.text.contains("tel:") && english.text.contains(Self.page), "\(english.text)")
        let italian = LetterText.letter(Self.record(status: .test), in: .italian)
        #expect(italian.subject == "PROVA, nessuna emergenza: Maria Rossi" && italian.text.contains("conferma che la prova è arrivata"))
    }

    @Test("SOS-20: whatever the name, the letter keeps its lines", arguments: hostileNames)
    func hostile(name: String) {
        let letter = LetterText.letter(.sample(name: name, web: Self.page, recipient: .init(name: name, address: "")), in: .english)
        #expect(!letter.subject.contains { $0.isNewline } && letter.text.contains("\nWhere:\n45.46420"), "\(letter.text)")
    }
}
