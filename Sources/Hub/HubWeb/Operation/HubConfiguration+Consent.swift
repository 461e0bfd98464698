import HubServices
import Privacy
import Vitals

extension HubConfiguration {
    /// How people are asked for data. What was asked before keeps what held then.
    public struct Consent: Sendable {
        /// `hub.consent.answerWithin` / `HUB_CONSENT_ANSWERWITHIN`: hours after which an unanswered request counts as denied (CONS-3).
        public var answerWithin = 72
        /// `hub.consent.denialsMax` / `HUB_CONSENT_DENIALSMAX`: so many denials block an asker, until the person lets it ask again (CONS-10).
        public var denialsMax = 3

        private static let hours = 1...720, denials = 1...100

        /// - Throws: ``HubConfigurationError`` for a number out of range.
        func settings() throws -> ConsentService.Settings {
            guard Self.hours.contains(answerWithin) else {
                throw HubConfigurationError("hub.consent.answerWithin is \(answerWithin): use 1 to 720 hours, or leave it out for 72.")
            }
            guard Self.denials.contains(denialsMax) else {
                throw HubConfigurationError("hub.consent.denialsMax is \(denialsMax): use 1 to 100, or leave it out for 3.")
            }
            var settings = ConsentService.Settings()
            for key in [\ConsentService.Settings.organisations, \.caregivers] {
                settings[keyPath: key].expiry = .after(Milliseconds(answerWithin) * 3_600_000)
                settings[keyPath: key].denialsUntilBlocked = denialsMax
            }
            return settings
        }
    }
}
