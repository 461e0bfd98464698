import Foundation

/// `trackme-hub serve --check`.
public enum HubSettingsCheck {
    /// Every mistake for which a hub would not start, and every key of the file that is no setting. Nothing is made or changed.
    /// - Returns: a sentence or more for each.
    public static func mistakes(in configuration: HubConfiguration) -> [String] {
        var mistakes = HubMistakes(configuration.unknownKeys)
        mistakes.look { try configuration.check() }
        mistakes.look { _ = try configuration.breachedPasswords() }
        if configuration.tls.enabled, let certificate = configuration.tls.certificate, let key = configuration.tls.key {
            mistakes.look { try HubCertificates.check(certificate, key) }
        }
        return mistakes.all
    }
}
