/// Settings with which the hub would not start, or that it passes over. Each goes to the part that it is about.
struct SettingsDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.settings

    private static let subjects: [(beginning: String, subject: DoctorFinding.Subject)] = [
        ("hub.mail.", .mail), ("hub.operator.mail", .mail), ("hub.sms.", .texts), ("hub.operator.phone", .texts),
        ("hub.tls.", .certificate),
        ("hub.proxy.", .proxy), ("TLS is off", .proxy), ("hub.map.", .tiles), ("hub.listen.", .ports),
    ]

    func findings(_ hub: DoctorPatient) -> [DoctorFinding] {
        let place = hub.settingsFile ?? "the environment"
        var mistakes = HubMistakes()
        mistakes.look { try hub.configuration.check() }
        mistakes.look { _ = try hub.configuration.breachedPasswords() }
        let refused = mistakes.all.map { mistake in
            let subject = Self.subjects.first { mistake.hasPrefix($0.beginning) }?.subject ?? .settings
            return DoctorFinding(
                subject, "setting", mistake, at: place, "Correct it, look with trackme-hub serve --check, and restart the hub.")
        }
        return refused
            + hub.configuration.unknownKeys.map {
                DoctorFinding(.settings, "unknown", $0, at: place, "Correct the line or delete it: the hub passes it over.")
            }
    }
}
