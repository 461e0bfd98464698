package import Vitals

/// The people to tell of a person's distress, as of the moment when it is looked up.
package struct SOSPlan: Sendable, Hashable {
    package var contacts: [SOSContact] = []
    /// Caregivers, and the parents of a minor.
    package var caregivers: [AccountID] = []
    package var rooms: [String] = []
    /// The person consented to calls: without that, and without their own call for help, only caregivers are told.
    package var isConsented = false
    /// The hub can call by telephone.
    package var hasVoice = false
    /// Secrets of the pages by which contacts answer, one for each of ``contacts``; and of rooms, by their names.
    package var links: [String] = [], roomLinks: [String: String] = [:]

    package init() {}
}
