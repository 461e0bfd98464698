import Alerts
import Languages
import Testing
import Vitals

@Suite struct SpeechTests {
    @Test("SOS-6: what is spoken says it all, with digits that can be written down")
    func english() {
        #expect(
            SpokenText.sentences(.sample(), in: .english) == [
                "This is an automatic emergency call for Maria Rossi, 71 years old.",
                "The heart rate is too high: 182 per minute. The limit is 160.",
                "The person was asked and did not answer.",
                "Position: latitude 45 point 4 6 4 2 north, longitude 9 point 1 9 0 0 east.",
                "Within 12 metres, 8 seconds ago.",
                "Home address: Via Roma 1, Milano.",
                "Phone: + 3 9 3 3 3 0 0 0 0 0 0 0.",
                "In the 4 minutes before, the heart rate was between 62 and 152.",
            ])
        #expect(SpokenText.repeated(in: .english) == "I repeat.")
    }

    @Test("SOS-6: in Italian as well")
    func italian() {
        let position = PositionSample(time: someTime - 3_700_000, latitude: -334_500_000, longitude: -706_600_000, horizontalError: 4)
        #expect(
            SpokenText.sentences(
                .sample(
                    place: .known(position), cause: .bodyTemperatureHigh(limit: 395), address: nil,
                    history: [SOSReading(time: someTime - 20_000, value: .bodyTemperature(401))]), in: .italian) == [
                    "Questa è una chiamata di emergenza automatica per Maria Rossi, 71 anni.",
                    "La temperatura corporea era 40,1 gradi, 20 secondi fa. Il limite è 39,5.",
                    "La persona è stata interpellata e non ha risposto.",
                    "Posizione: latitudine 33 virgola 4 5 0 0 sud, longitudine 70 virgola 6 6 0 0 ovest.",
                    "Entro 1 metro, 61 minuti fa.",
                    "Telefono: + 3 9 3 3 3 0 0 0 0 0 0 0.",
                ])
    }

    @Test("SOS-19: a drill begins with that, in both languages, whatever it does", arguments: SOSRecord.Kind.allCases)
    func drill(kind: SOSRecord.Kind) {
        #expect(
            SpokenText.sentences(.sample(kind: kind, status: .test), in: .english)[0].hasPrefix("This is a test. There is no emergency"))
        #expect(SpokenText.sentences(.sample(kind: kind, status: .exercise), in: .italian)[0].hasPrefix("Questa è una prova."))
    }

    @Test("SOS-10: a false alarm is said so, and asks for nobody")
    func cancel() {
        let sentences = SpokenText.sentences(.sample(kind: .cancel, ending: .falseAlarm), in: .english)
        #expect(
            sentences.prefix(2) == [
                "Stand down, false alarm. It was about Maria Rossi, 71 years old.", "Nobody needs to go there any more.",
            ])
    }

    @Test("SOS-6: no sentence is longer than a speech program takes at once", arguments: hostileNames)
    func bounded(name: String) {
        for language in Language.allCases {
            for sentence in SpokenText.sentences(.sample(name: name, place: .unknown(.receiverLost), address: name), in: language) {
                #expect(sentence.count <= 300 && !sentence.contains("\n"))
            }
        }
    }

    @Test("SOS-6: the language of the place is used where there are words in it")
    func tags() {
        #expect(
            ["it", "it-CH", "IT_it", "en-GB", "de", ""].map(Language.init(tag:)) == [
                .italian, .italian, .italian, .english, .english, .english,
            ])
    }
}
