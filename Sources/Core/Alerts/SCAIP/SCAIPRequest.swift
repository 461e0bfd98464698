internal import Exchange
public import Languages
internal import Vitals

/// An alarm as a Social Care Alarm Internet Protocol request (SS 91100), sent in a SIP MESSAGE.
///
/// The standard's tables of codes are not public: the defaults are what equipment in use is seen to send. A control room says which codes
/// it wants.
public struct SCAIPRequest: Hashable, Sendable {
    public static let mediaType = "application/scaip+xml"

    /// The settings that the control room agreed with the operator.
    public struct Settings: Hashable, Sendable {
        /// The control room's identifier of the person (`cid`).
        public var controllerID: String
        /// `dty` and `did`.
        public var deviceType = 4
        public var deviceID = 1
        /// `stc` of an alarm, of its withdrawal and of a test.
        public var alarmCode = 10
        public var cancelCode = 19
        public var testCode = 102
        /// `lco`: a code of a place, where one was agreed.
        public var locationCode: Int?
        /// Whether texts go along: position (`lte`) and the alarm in words (`ame`). Some receivers refuse fields that they do not know.
        public var hasTexts = true

        public init(controllerID: String) { self.controllerID = controllerID.asIdentifier(max: 64) }
    }

    /// The reference that ``SCAIPAnswer`` must name.
    public let reference: String
    public let xml: [UInt8]

    public init(_ record: SOSRecord, settings: Settings, language: Language) {
        reference = Self.reference(record)
        var document = XMLDocument()
        let reference = reference, words = language.words
        document.element("mrq") { mrq in
            mrq.element("ref", reference)
            // 0: no call is set up by the receiver before it reads the alarm.
            mrq.element("cha", "0")
            mrq.element("mty", "ME")
            mrq.element("cid", settings.controllerID)
            mrq.element("dty", settings.deviceType.padded)
            mrq.element("did", settings.deviceID.twoDigits)
            mrq.element("stc", Self.statusCode(record, settings).padded)
            mrq.element("lco", settings.locationCode.map { $0 < 100 ? "0\($0.twoDigits)" : "\($0)" })
            if settings.hasTexts {
                mrq.element("lte", String((record.kind == .cancel ? "" : words.place(record)).prefix(200)))
                mrq.element("ame", SMSText.text(record, in: language, partsMax: 3))
            }
            mrq.element("crd", record.person.phone.map { "tel:\($0.filter { !$0.isWhitespace })" } ?? "no-voice:")
        }
        xml = document.bytes
    }

    /// A drill is a test even when it is withdrawn.
    private static func statusCode(_ record: SOSRecord, _ settings: Settings) -> Int {
        if record.isDrill { return settings.testCode }
        return record.kind == .cancel ? settings.cancelCode : settings.alarmCode
    }

    /// 16 characters, the length that equipment in use takes: the end of the incident's name and the number of the message.
    private static func reference(_ record: SOSRecord) -> String {
        let number = "-\(record.number)"
        return String(record.incident.suffix(max(16 - number.count, 1))) + number
    }
}

extension Int {
    /// Four digits, as the standard's examples have them.
    fileprivate var padded: String { self < 0 || self > 999 ? "\(self)" : String("000\(self)".suffix(4)) }
}
