import Accounts
import Foundation
import HubServices
import HubStore
import Vitals

/// What mails say: texts `mail.KIND.subject` and `mail.KIND.text`, with `{name}`, `{site}` (the hub's address) and the mail's own arguments filled in.
enum MailTexts {
    static func letter(_ mail: StoredMail, site: String) -> MailOutbox.Letter? {
        var texts = Texts.of(mail.arguments[NoticeStore.language] ?? mail.account.language)
        texts.zone = mail.zone.flatMap { TimeZone(identifier: $0) }
        let subject = "mail.\(mail.kind).subject", text = "mail.\(mail.kind).text"
        guard texts.find(subject) != nil, texts.find(text) != nil else { return nil }
        var values = mail.arguments.merging(["name": mail.account.name, "site": site, "path": "/notices"]) { own, _ in own }
        texts.runs(&values)
        PaidFeature.fill(&values, texts)
        values["way"] = values["way"].map(texts.way)
        values["ways"] = values["ways"].map(texts.ways)
        for name in ["begin", "end"] { values[name] = values[name].flatMap(Milliseconds.init).map(texts.instant) ?? values[name] }
        return MailOutbox.Letter(subject: texts.filled(subject, values), text: texts.filled(text, values) + "\n\n-- \nTrackMe\n")
    }

    /// To somebody without an account: texts `invitation.KIND.subject` and `invitation.KIND.text`.
    /// - Parameter stop: the link to no more of these.
    static func letter(_ letter: StoredLetter, site: String, stop: String) -> MailOutbox.Letter? {
        let texts = Texts.of(letter.language), subject = "invitation.\(letter.kind).subject", text = "invitation.\(letter.kind).text"
        guard texts.find(subject) != nil, texts.find(text) != nil else { return nil }
        let values = letter.arguments.merging(["site": site]) { own, _ in own }
        let end = "\n\n\(texts.filled("invitation.end", ["stop": stop]))\n\n-- \nTrackMe\n"
        return MailOutbox.Letter(subject: texts.filled(subject, values), text: texts.filled(text, values) + end)
    }
}
