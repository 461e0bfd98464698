/// What `protection.mustache` shows.
struct ProtectionPage: FramedPage {
    static let template = "protection"

    var problem: String?
    let base: String
    let isOwn: Bool
    let isOn: Bool
    /// A relative got a test, and has not said so.
    var testToConfirm = false
    var dispute: Dispute?
    var prepared: Prepared?
    let now: ProtectionModel.Live
    /// Why the button for help is of no use.
    var helpReachesNobody: String?
    let mapConfig: String
    var onForm: TurnOnPart?
    /// Why it cannot be turned on.
    var nobodyToCall: String?
    var preparing: Preparing?
    var contacts: [Contact] = []
    var contactForm: FormPart?
    /// Whether mails to contacts tell vital signs.
    var values: Values?
    var hasCaregivers = false
    var caregivers: [Caregiver] = []
    let home: Home
    let inForce: [String]
    let limitsForm: FormPart
    var strictSetters: StrictSetters?
    var inactivityForm: InactivityForm?
    var rhythm: Rhythm?
    var reminderForm: FormPart?
    let drillForm: DrillForm
    var tests: [Past] = []
    var cases: [Past] = []
    var changes: [String] = []

    /// What a button of the dispute sends.
    struct Decision: TemplateModel {
        /// The reader may decide.
        let decides: Bool
        let base: String
        /// The button is a consent, too.
        let consents: Bool
        let keep: String
        let version: Int
        let consent: String
    }

    /// The settings as the hub or a box has them.
    struct Side: TemplateModel {
        let title: String
        var when: String?
        let lines: [String]
        let hasContacts: Bool
        let contacts: [String]
        let decision: Inline<Decision>
        let button: String
    }

    struct Dispute: TemplateModel {
        let text: String
        let sides: [Side]
        /// To keep both.
        let decision: Inline<Decision>
        var waits: String?
    }

    /// What a relative prepared, and waits for the person's yes.
    struct Prepared: TemplateModel {
        struct Contact: TemplateModel {
            let name: String, ways: String
        }

        let title: String, text: String
        let contacts: [Contact]
        let turnsOn: Bool
        let decides: Bool
        let base: String
        /// Which one it is: a yes is to what was shown.
        let at: String
        var turnOnForm: TurnOnPart?
    }

    /// What a relative can prepare.
    struct Preparing: TemplateModel {
        let title: String, text: String
        let contactForm: FormPart
        let canAsk: Bool
        let base: String
    }

    struct Contact: TemplateModel {
        let index: String, name: String, ways: String
        let isLater: Bool
    }

    struct Caregiver: TemplateModel {
        let id: String, name: String
        let isLater: Bool
    }

    struct Home: TemplateModel {
        let title: String
        var warning: String?
        var text: String?
        /// Where it is set, and what the link says.
        let href: String, link: String
    }

    struct StrictSetters: TemplateModel {
        struct Organisation: TemplateModel {
            let name: String, state: String, consent: String, may: String, button: String
        }

        let organisations: [Organisation]
    }

    struct InactivityForm: TemplateModel {
        let form: Inline<FormPart>
        let about: String, state: String
    }

    struct Rhythm: TemplateModel {
        var seen: String?
        var counts: String?
        let state: String, tell: String, button: String
    }

    struct Values: TemplateModel {
        let state: String, tell: String, button: String
    }

    struct DrillForm: TemplateModel {
        let form: Inline<FormPart>
        var overdue: String?
        /// Why there should be a plan, where there is none.
        var missing: String?
        let last: String
        var heard: String?
        let next: String
    }

    /// A case or a test that is over.
    struct Past: TemplateModel {
        let title: String
        let calls: [String]
    }
}

/// Whether SOS-4 holds to the letter, as a choice of two (`strictWays.mustache`).
struct StrictPart: TemplateModel {
    struct Way: TemplateModel {
        let value: String
        let isChosen: Bool
        let text: String, about: String
    }

    let ask: String, both: String
    var error: String?
    let ways: [Way]
}

/// The choice and the consent with which it is turned on (`turnOn.mustache`).
struct TurnOnPart: TemplateModel {
    /// How often the way of an alarm is tested without anybody asking.
    struct Tests: TemplateModel {
        let ask: String, about: String
        let options: [FieldPart.Option]
    }

    let choice: Inline<StrictPart>
    let tests: Tests
    let document: String
    let isConsented: Bool
}
