import Foundation

/// Whether text messages leave. None is sent; a program that is none is a mistake of the settings.
struct TextsDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.texts

    func findings(_ hub: DoctorPatient) -> [DoctorFinding] {
        guard hub.configuration.sms.command == nil else { return [] }
        let calls = hub.configuration.voice.account != nil
        return [
            DoctorFinding(
                .warning, subject, "none",
                calls
                    ? "No text messages leave: whom the hub would text, it only calls."
                    : "No text messages leave, and no calls: contacts without a mail address are not reached.",
                at: "hub.sms.command", "Name a program that sends texts: trackme-hub setup asks for it and tries it.")
        ]
    }
}
