internal import Vitals

struct Italian: Words {
    let drill = "PROVA, nessuna emergenza, non inviare nessuno"
    let drillSpoken = "Questa è una prova. Non c'è nessuna emergenza. Per favore non inviate nessuno"
    let event = "Emergenza medica"
    let update = "Aggiornamento"
    let backDated = "Le misure sono arrivate in ritardo: mostrano il passato"
    let clockUnsure = "L'orologio dell'apparecchio non era regolato: le ore sono errate, le durate sono giuste"
    let thanks = "Grazie. Ha preso in carico questo allarme. Intervenga subito, per favore"
    let thereThanks = "Grazie. Ora sappiamo che qualcuno è sul posto"
    let drillThanks = "Grazie. La prova è arrivata. Non deve fare altro"
    let late = "Grazie. Qualcun altro ha già preso in carico questo allarme, oppure l'allarme è finito. Non deve fare altro"
    let repeated = "Ripeto"
    let instruction = "Inviare soccorso alla posizione, richiamare la persona e confermare l'allarme"
    let homeInstruction =
        "Chiamare la persona per sapere dove si trova. Se non risponde, inviare soccorso dove abita. Confermare l'allarme"
    let heartbeatEvent = "Segno di vita della linea"
    let heartbeat =
        "PROVA, nessuna emergenza: questo messaggio arriva a intervalli e mostra che la linea funziona. Se smette di arrivare, chiamare il mittente"
    let drillInstruction = "Confermare soltanto che la prova è arrivata"
    let standDown = "Non serve più che qualcuno vada sul posto"

    let isSomebodyThere = "C'è qualcuno con la persona adesso? Per favore rispondere: altrimenti si chiamano di nuovo gli altri"

    func yes(_ way: AnswerWay) -> String {
        switch way {
        case .key: "Se sì, premi 1"
        case .reply: "Se sì, rispondi OK"
        case .page(let address): "Per favore rispondere qui: \(address)"
        }
    }

    func answer(_ way: AnswerWay, isDrill: Bool) -> String {
        switch way {
        case .key: isDrill ? "Per confermare questa prova premi 1" : "Per aiutare premi 1"
        case .reply: isDrill ? "Per confermare questa prova rispondi OK" : "Per aiutare rispondi OK"
        case .page(let address): isDrill ? "Per confermare questa prova: \(address)" : "Per aiutare: \(address)"
        }
    }

    func letter(_ part: LetterPart, _ name: String) -> String {
        switch part {
        case .subject: "SOS: \(name) ha bisogno di aiuto"
        case .subjectOfTest: "PROVA, nessuna emergenza: \(name)"
        case .subjectOfPlace: "SOS: dove si trova \(name)"
        case .greeting: name.isEmpty ? "Buongiorno," : "Buongiorno \(name),"
        case .needsHelp: "\(name) ha bisogno di aiuto"
        case .test:
            "Questa è una prova. Non c'è nessuna emergenza e non c'è niente da fare per \(name). In caso di emergenza l'avviso arriverebbe così"
        case .newPlace: "Ora sappiamo dove si trova \(name)"
        case .since: "Da"
        case .reason: "Motivo"
        case .toDo: "Che cosa fare"
        case .call: "Chiama \(name)"
        case .take: "Apri questa pagina e tocca «Me ne occupo io». Così gli altri sanno che te ne occupi tu"
        case .go: "Vai sul posto. Se non puoi, o se nessuno risponde, chiama il 112 e di' dov'è"
        case .confirm: "Apri questa pagina e conferma che la prova è arrivata"
        case .place: "Dove"
        case .map: "Mappa"
        case .placeFollows: "Appena la posizione è nota riceverai un'altra e-mail"
        case .why: "Ricevi questo messaggio perché \(name) vuole che tu sia avvisato in caso di emergenza"
        }
    }

    func ending(_ ending: SOSRecord.Ending?) -> String {
        switch ending {
        case .falseAlarm: "Annullare, falso allarme"
        case .testOver: "La prova è finita"
        case .over, nil: "Annullare, l'emergenza è finita"
        }
    }

    func cause(_ cause: SOSCause) -> String {
        switch cause {
        case .heartRateHigh: "frequenza cardiaca troppo alta"
        case .heartRateLow: "frequenza cardiaca troppo bassa"
        case .heartPause: "il cuore si ferma per secondi"
        case .criticalThenLost: "frequenza cardiaca critica, poi segnale perso"
        case .bodyTemperatureHigh: "temperatura corporea troppo alta"
        case .bodyTemperatureLow: "temperatura corporea troppo bassa"
        case .fall: "una caduta"
        case .seizure: "una crisi convulsiva"
        case .help: "la persona chiede aiuto"
        case .unknown: "un allarme, la causa non è nota qui"
        }
    }

    func pause(of person: String, seconds: Int) -> String {
        "\(person): il cuore si è fermato per circa \(seconds) secondi, e \(person) non ha risposto alla domanda. Non è stato chiamato nessun altro: chiedi come sta"
    }

    func inactivity(of person: String, _ missing: InactivityText.Missing, hours: Int) -> String {
        let what =
            switch missing {
            case .movement: "da circa \(self.hours(hours)) nessun movimento e nessun altro segno di \(person)"
            case .sensors:
                "da circa \(self.hours(hours)) non arrivano né la posizione né i passi di \(person), quindi non sappiamo se si muove"
            case .box:
                "da circa \(self.hours(hours)) il dispositivo di \(person) non si fa sentire, quindi non sappiamo se \(person) si muove"
            }
        return "TrackMe: \(what). Alla domanda \(person) non ha risposto. Non è stata chiamata nessuna ambulanza: chiedi come sta"
    }

    private func hours(_ count: Int) -> String { count == 1 ? "1 ora" : "\(count) ore" }

    func activity(of person: String) -> String { "TrackMe: c'è di nuovo un segno di \(person), per un movimento o una risposta" }

    func limit(_ text: String) -> String { "limite \(text.comma)" }

    func value(_ value: SOSReading.Value) -> String {
        switch value {
        case .heartRate(let rate): "\(rate) al minuto"
        case .bodyTemperature(let tenths): "\(tenths.tenthsText.comma) gradi"
        }
    }

    func before(_ rates: ClosedRange<Int>, _ duration: Milliseconds) -> String {
        "Prima, per \(self.duration(duration)), la frequenza cardiaca era tra \(rates.lowerBound) e \(rates.upperBound)"
    }

    func question(_ question: SOSRecord.Question) -> String? {
        switch question {
        case .notAsked: nil
        case .unanswered: "La persona è stata interpellata e non ha risposto"
        case .help: "La persona è stata interpellata e vuole aiuto"
        }
    }

    func years(_ age: Int) -> String { age == 1 ? "1 anno" : "\(age) anni" }

    func duration(_ milliseconds: Milliseconds) -> String {
        Span(milliseconds).text(
            .init("secondo", "minuto", "ora", "giorno") { $0 == "ora" ? "ore" : String($0.dropLast()) + "i" })
    }

    func ago(_ duration: String) -> String { "\(duration) fa" }

    func ageUnknown(atLeast duration: String) -> String { "non si sa da quando, almeno \(duration)" }

    func lives(at address: String) -> String { "Dove abita la persona, forse non dove si trova: \(address)" }

    func accuracy(_ metres: Int?) -> String { metres.map { $0 == 1 ? "entro 1 metro" : "entro \($0) metri" } ?? "precisione ignota" }

    func noPosition(_ reason: SOSPlace.Reason) -> String {
        switch reason {
        case .noFix: "La posizione non è nota"
        case .switchedOff: "La posizione non è nota: la persona l'ha disattivata"
        case .receiverLost: "La posizione non è nota: il ricevitore non risponde"
        }
    }

    func position(_ source: PositionSource) -> String {
        switch source {
        case .gnss: "satelliti"
        case .fixed: "luogo impostato per l'apparecchio"
        case .network: "da reti vicine"
        }
    }

    func late(_ duration: String) -> String { "In ritardo: l'allarme è scattato \(duration) fa" }

    func raised(_ ago: String) -> String { "L'allarme è scattato \(ago)" }

    func taken(_ name: String, isRecipient: Bool) -> String {
        (isRecipient ? "Hai" : name.isEmpty ? "Qualcuno ha" : "\(name) ha") + " preso in carico l'allarme, non si chiama nessun altro"
    }

    func opening(_ kind: SOSRecord.Kind, _ person: String, _ ending: SOSRecord.Ending?) -> String {
        switch kind {
        case .alert: "Questa è una chiamata di emergenza automatica per \(person)"
        case .update: "Queste sono novità sull'emergenza di \(person)"
        case .cancel: "\(self.ending(ending)). Riguardava \(person)"
        }
    }

    func spokenCause(_ cause: SOSCause, _ reading: SOSReading?, ago: String?) -> String {
        let verb = ago == nil ? "è" : "era", age = ago.map { ", \($0)" } ?? ""
        let limit = cause.limitText.map { ". Il limite è \($0.comma)" } ?? ""
        switch (cause, reading) {
        case (.heartRateHigh, let reading?): return "La frequenza cardiaca \(verb) troppo alta: \(value(reading.value))\(age)\(limit)"
        case (.heartRateLow, let reading?): return "La frequenza cardiaca \(verb) troppo bassa: \(value(reading.value))\(age)\(limit)"
        case (.bodyTemperatureHigh, let reading?), (.bodyTemperatureLow, let reading?):
            return "La temperatura corporea \(verb) \(value(reading.value))\(age)\(limit)"
        default: return "Il motivo è: \(self.cause(cause))"
        }
    }

    func spokenDegrees(_ whole: String, _ digits: String, _ direction: Direction) -> String {
        switch direction {
        case .north: "latitudine \(whole) virgola \(digits) nord"
        case .south: "latitudine \(whole) virgola \(digits) sud"
        case .east: "longitudine \(whole) virgola \(digits) est"
        case .west: "longitudine \(whole) virgola \(digits) ovest"
        }
    }

    func label(_ label: Label) -> String {
        switch label {
        case .person: "Persona"
        case .born: "Nascita"
        case .phone: "Telefono"
        case .languages: "Parla"
        case .address: "Indirizzo di casa"
        case .position: "Posizione"
        case .readings: "Misure"
        case .firstReading: "Prima misura"
        case .raised: "Allarme"
        case .incident: "Caso"
        case .page: "Pagina"
        case .unknown: "una persona di nome ignoto"
        }
    }
}

extension String {
    /// With Italy's decimal comma.
    fileprivate var comma: String { String(map { $0 == "." ? "," : $0 }) }
}
