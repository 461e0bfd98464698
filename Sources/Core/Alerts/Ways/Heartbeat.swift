internal import Exchange
public import Languages
internal import Vitals

/// A sign of life that a control room wants at intervals: it is about nobody, and says that the line stands. Each form marks it as an exercise or a test.
public struct Heartbeat: Hashable, Sendable {
    public var sender: SOSRecord.Party, recipient: SOSRecord.Party
    public var sentAt: SOSTime
    /// Seconds until the next one, so that a receiver knows when to miss it.
    public var everySeconds: Int

    public init(sender: SOSRecord.Party, recipient: SOSRecord.Party, sentAt: SOSTime, everySeconds: Int) {
        (self.sender, self.recipient, self.sentAt, self.everySeconds) = (sender, recipient, sentAt, everySeconds)
    }

    /// Names one message: sender and second.
    var identifier: String { "heartbeat-\(sentAt.compactUTC)" }

    /// CAP 1.2 to the recipient only. `status` is Exercise, for those who take part: what bears Test all are to disregard (3.2.1).
    public func cap(language: Language) -> [UInt8] {
        var document = XMLDocument()
        document.element("alert", attributes: ["xmlns": CAPAlert.namespace]) { alert in
            alert.element("identifier", identifier)
            alert.element("sender", CAPAlert.token(sender.address))
            alert.element("sent", sentAt.capText)
            alert.element("status", "Exercise")
            alert.element("msgType", "Alert")
            alert.element("source", "TrackMe")
            alert.element("scope", "Private")
            alert.element("addresses", CAPAlert.address(recipient))
            alert.element("note", "\(identifier): \(Language.english.words[.heartbeat])")
            for language in language.andOthers {
                alert.element("info") { info in
                    info.element("language", language.rawValue)
                    info.element("category", "Other")
                    info.element("event", language.words[.heartbeatEvent])
                    info.element("responseType", "None")
                    info.element("urgency", "Unknown")
                    info.element("severity", "Unknown")
                    info.element("certainty", "Unknown")
                    info.element("expires", sentAt.at(sentAt.utc + Milliseconds(everySeconds) * 1000).capText)
                    info.element("senderName", sender.name)
                    info.element("headline", language.words[.heartbeat])
                    info.pair("parameter", ("valueName", "EverySeconds"), ("value", "\(everySeconds)"))
                }
            }
        }
        return document.bytes
    }

    /// One line of JSON: `"kind":"heartbeat"`, which no alarm has.
    public func json(language: Language) -> [UInt8] {
        JSONObject.bytes { json in
            json.number("version", HookJSON.version)
            json.text("kind", "heartbeat")
            json.text("status", "test")
            json.flag("drill", true)
            json.text("sent", sentAt.text)
            json.number("everySeconds", everySeconds)
            for (name, party) in [("sender", sender), ("recipient", recipient)] {
                json.object(name) { json in
                    json.text("name", party.name)
                    json.text("address", party.address)
                }
            }
            json.text("language", language.rawValue)
            json.text("text", language.words[.heartbeat])
        } + [UInt8(ascii: "\n")]
    }

    /// SCAIP: a request of the type `PI` (ping), which needs no person.
    /// - Parameter settings: ``SCAIPRequest/Settings/controllerID`` names the hub here.
    public func scaip(_ settings: SCAIPRequest.Settings) -> (reference: String, xml: [UInt8]) {
        // 16 characters, as in an alarm: the seconds of the day and of the year tell neighbours apart.
        let reference = "hb" + sentAt.compactUTC
        var document = XMLDocument()
        document.element("mrq") { mrq in
            mrq.element("ref", reference)
            mrq.element("cha", "0")
            mrq.element("mty", "PI")
            mrq.element("cid", settings.controllerID)
            mrq.element("stc", "0\(settings.testCode)")
            mrq.element("crd", "no-voice:")
        }
        return (reference, document.bytes)
    }

    /// For people: subject and text of a mail.
    public func text(language: Language) -> (subject: String, text: String) {
        let words = language.words
        return ("\(words[.heartbeatEvent]): \(sender.name)", "\(words[.heartbeat])\n\n\(sender.address)\n\(sentAt.text)\n")
    }
}
