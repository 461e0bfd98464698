public import Distress

/// Why something was not changed.
public enum SOSSettingProblem: Error, Sendable, Hashable {
    /// The consent to calls was not given.
    case noConsent
    /// How quickly help is called while nobody knows whether the person moves, was not chosen.
    case strictNotChosen
    /// Limits wider than a baseline gives, without the word that this is wanted.
    case widerNotConfirmed
    /// No alarm could reach anybody: there is no contact with a mail address or a number that this hub can reach, no caregiver whom alarms reach
    /// by mail or push, no control room.
    case nobodyToCall
    /// Not within safe limits.
    case limits(LimitProblem)
    /// The typed limit is no number.
    case noNumber
    case contact
    case tooManyContacts
    case ageNotCovered
    /// The given place is not on a map.
    case notAPlace
    /// The time by which there is to be a sign of life, the span, the night or the time zone.
    case inactivity
    /// Neither a contact nor anybody who looks after the person: nobody could be told that there is no sign of life.
    case nobodyToTell
    /// Neither the person, nor somebody who looks after them and may do this.
    case notAllowed
    /// Somebody changed it since the page was shown.
    case changedMeanwhile
}
