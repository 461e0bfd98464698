public import Vitals

/// How long everybody has in a case, and how much of everything there is.
public enum DispatchLimits {
    // MARK: Messages

    /// One contact after the other, milliseconds: the first has this long before the next is called too.
    package static let contactPause: Milliseconds = 20_000
    /// Nobody gets the same again within this, milliseconds.
    package static let repeatPause: Milliseconds = 60_000
    /// A message that failed is tried again after this, the first time and at most, milliseconds.
    package static let retryFirst: Milliseconds = 5000, retryMax: Milliseconds = 60_000
    package static let triesMax = 40
    /// A mail server that has all of a message and says nothing may have sent it: it gets the message so often.
    package static let unansweredMax = 3
    /// A test is no reason to ring for an hour.
    package static let voiceDrillTries = 2
    /// Messages of a case.
    package static let callsMax = 400

    // MARK: Crews

    /// A crew has so long to answer, milliseconds (SOS-11).
    package static let offerTime: Milliseconds = 15_000
    package static let crewsAtOnce = 3
    /// A crew whose page is open has so long to see an offer before it is notified as well, and whoever notifies it has as long, milliseconds.
    package static let seenWithin: Milliseconds = 2000
    /// A crew that did not answer is asked again after this, when there is nobody else, milliseconds.
    package static let askAgainAfter: Milliseconds = 60_000
    /// Offers of a case.
    package static let offersMax = 60
    /// The place of a crew that is older than this says nothing of whether it comes, milliseconds.
    package static let comingAgeMax: Milliseconds = 60_000
    /// A crew comes when it is nearer by so many metres than before: a phone that lies still wanders by less.
    package static let nearerMetres = 200
    /// Within so many metres a crew is beside the person; farther off as well where the person's own place is less certain than that, up to the
    /// second.
    package static let besideMetres = 300, besideMetresMax = 1000

    // MARK: Whoever has it

    /// Time after which the owner is asked whether somebody is with the person, milliseconds. An ambulance, and whom a control room sends, may
    /// have a longer way than a neighbour.
    package static let askAfter: Milliseconds = 600_000, askProfessionalAfter: Milliseconds = 1_200_000
    /// Without an answer for so long it goes on to the next, milliseconds.
    package static let answerTime: Milliseconds = 180_000
    /// A word that nobody followed up holds for so long, milliseconds.
    public static let reachedFor: Milliseconds = 60_000

    // MARK: Boxes

    /// Time that those who were told have to answer before the person's box calls as well, milliseconds.
    package static let reachTime: Milliseconds = 10_000
    /// Numbers that a box told, of which a case knows so many.
    static let boxToldMax = 8
    /// Alarms of boxes that count as a case that is over.
    static let joinedMax = 32

    // MARK: Position

    /// So long nobody is sent to the home, or without a place, while it is read where the person was last, milliseconds.
    package static let lookTime: Milliseconds = 2000
    /// Control rooms hear of a new position by themselves when it is so many metres from the one that they know.
    static let farMetres = 100.0
}
