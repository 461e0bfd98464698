import Foundation
import Mail

/// Whether mails leave. None is sent.
struct MailDoctor: DoctorCheck {
    let subject = DoctorFinding.Subject.mail

    func findings(_ hub: DoctorPatient) async -> [DoctorFinding] {
        let mail = hub.configuration.mail, place = mail.server ?? mail.sendmail
        var found: [DoctorFinding] = []
        if mail.server == nil {
            let isHelped = hub.configuration.helpers.messages != nil
            if access(mail.sendmail, isHelped ? F_OK : X_OK) != 0 {
                found.append(
                    DoctorFinding(
                        subject, "program", "No mail leaves: there is no program \(mail.sendmail), and hub.mail.server is not set.",
                        at: mail.sendmail,
                        "Name your mail server in hub.mail.server (trackme-hub setup asks for it), or install one: apt-get install msmtp-mta."
                    ))
            }
        } else if let carrier = try? mail.carrier(on: hub.machine) as? SMTPSubmission,
            let problem = await carrier.look(limit: hub.limits.patience)
        {
            found.append(DoctorFinding(subject, "server", "\(problem.what).", at: place, "\(problem.advice)."))
        }
        if mail.senderWarning != nil {
            found.append(
                DoctorFinding(
                    .warning, subject, "sender", "Nobody outside this machine can answer \(mail.sender): others refuse such mails.",
                    at: "hub.mail.sender", "Set hub.mail.sender to an address of yours."))
        }
        if hub.configuration.operator.mail == nil {
            found.append(
                DoctorFinding(
                    .warning, subject, "operator", "You would not hear of a way out that failed.", at: "hub.operator.mail",
                    "Set hub.operator.mail to an address of yours: it gets a test each day."))
        }
        return found
    }
}
