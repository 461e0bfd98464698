import Accounts
import Credentials
import Foundation
public import HubStore
import Privacy
public import Vitals

/// Relatives who look after somebody (ACC-11), and parents of minors (ACC-17). What a caregiver reads rests on a consent like everybody else's;
/// nobody but the person, or a minor's parent, ever gives one.
public struct CareService: Sendable {
    let service: AccountService
    let consents: ConsentService
    let series: SeriesReader
    let enrolment: Enrolment
    private let bus: LiveBus

    /// Accounts that one account opens for others within 24 hours, at most.
    public static let openingsDailyMax = 5

    /// A link that hands an account over works for a week: the relative may not be there today.
    public static let handOverLifetime: Milliseconds = 7 * 86_400_000
    /// An invitation works for a week.
    public static let invitationLifetime: Milliseconds = 7 * 86_400_000
    /// The link on the paper of somebody without a mailbox, with which they set a new password, and that of somebody who came of age.
    public static let paperLifetime: Milliseconds = 10 * 366 * 86_400_000
    static let majorityLifetime: Milliseconds = 90 * 86_400_000

    public init(service: AccountService, consents: ConsentService, series: SeriesReader, bus: LiveBus) {
        (self.service, self.consents, self.series, self.bus) = (service, consents, series, bus)
        enrolment = Enrolment(accounts: service.accounts)
    }

    var accounts: AccountStore { service.accounts }
    var now: Milliseconds { consents.time.now }

    // MARK: Opening an account for somebody

    /// The outcome. Where the tax identifier or address has an account, its owner is told by mail, and this looks the same.
    public enum Opened: Sendable {
        /// The link that hands the account over went to the person's own address.
        case mailed
        /// The person has no address: with this link they take the account over, on the caregiver's device or their own.
        case handOver(link: String)
        /// A minor's account works from now on, in the parent's hands.
        case minor
        /// The account opened ``openingsDailyMax`` within a day, or tried to: nobody finds out by trying who has an account.
        case tooMany
    }

    /// Opens an account for an elderly person, or for one's own child.
    /// - Parameter caregiver: an account that works.
    /// - Throws: `FormErrors` with all that is wrong at once, `PasswordHasher.Busy`, or what the store throws.
    public func open(_ fields: [String: String], by caregiver: StoredAccount, language: String) async throws -> Opened {
        let time = now, age = service.ownAge(country: fields[Field.taxCountry.rawValue] ?? "")
        let form = try PersonOpening(fields, documents: service.documents, today: CalendarDate(utc: time), ownAge: age)
        guard try accounts.deferredWork.countOpening(by: caregiver, most: Self.openingsDailyMax, now: time) else { return .tooMany }
        // A minor's account works at once, so it has no address: nobody has proved one.
        let email = form.isMinor ? nil : form.email
        // A user name has no @, so it is nobody's address; the log-in takes it in the place of one.
        let name = email?.address ?? ShortCode.random(using: accounts.randomness).grouped.lowercased()
        var details = [Field.email.rawValue: name]
        for field in AccountService.personFields { details[field.rawValue] = fields[field.rawValue].map(AccountService.trimmed) }
        var new = NewAccount(
            roles: [.person], details: details, canonicalEmail: email?.canonical ?? name,
            canonicalIdentifier: form.taxIdentifier.canonical,
            // Nobody knows this one.
            password: try await service.hasher.hash(SecretToken.random(using: accounts.randomness).text), language: language, accepted: [:])
        let token = SecretToken.random(using: accounts.randomness), link = service.url() + "/hand-over/" + token.text
        if form.isMinor {
            new.accepted = [.terms: form.terms ?? "", .privacy: form.privacy ?? ""]
            let born = form.profile.dateOfBirth.ownFrom(age: age)
            let added = try accounts.care.openMinor(new, guardian: caregiver.id, adultFrom: born?.utc ?? .max, now: time)
            try tellTaken(added)
            return .minor
        }
        let added = try accounts.care.openAccount(
            new, by: caregiver.id, linkHash: token.hash, linkExpires: time + Self.handOverLifetime, now: time)
        try tellTaken(added)
        guard let email else { return .handOver(link: link) }
        // Nothing tells whoever opened it that the address wants no letters.
        if case .added(let account) = added, try !accounts.deferredWork.refusesLetters(accounts.deferredWork.addressMark(email.canonical)) {
            let name = InvitationStore.inviterName(caregiver.name)
            try accounts.notices.addMail("care.handOver", ["caregiver": name, "link": link], to: account, now: time)
        }
        return .mailed
    }

    private func tellTaken(_ added: AccountStore.Added) throws {
        if case .taken(let owner) = added { try service.tellTaken(owner) }
    }

    /// The account that a link hands over, and its opener; nil when it does not work (any more).
    public func handOver(_ link: String) throws -> (account: StoredAccount, caregiver: StoredAccount?)? {
        guard let token = SecretToken(link) else { return nil }
        return try accounts.care.handOver(token.hash, now: now)
    }

    /// The person's own hand: password, documents, and what the caregiver may see.
    public struct TakenOver: Sendable {
        public let account: StoredAccount
        /// For who has no mailbox: sets a new password, once; to be kept on paper. nil for everybody else.
        public let paper: String?
    }

    /// The person takes over the account that somebody opened for them.
    /// - Parameters:
    ///   - fields: password, terms, privacy.
    ///   - kinds: what the person lets the one who opened it see; nothing is fine.
    ///   - purpose: of that consent, in the person's language.
    /// - Returns: nil when the link does not work (any more).
    /// - Throws: `FormErrors`, `PasswordHasher.Busy`, or what the store throws.
    public func takeOver(
        _ link: String, _ fields: [String: String], kinds: Set<DataKind>, purpose: String
    ) async throws -> TakenOver? {
        guard let token = SecretToken(link), let (waiting, caregiver) = try accounts.care.handOver(token.hash, now: now) else { return nil }
        let form = try HandOverForm(
            fields, documents: service.documents, about: [waiting.email, waiting.name])
        let hash = try await service.hash(ofForm: form.password)
        let accepted: [Field: String] = [.terms: form.terms, .privacy: form.privacy]
        guard let account = try accounts.care.takeOver(token.hash, password: hash, accepted: accepted, now: now) else { return nil }
        if let caregiver {
            if kinds.isEmpty {
                try accounts.notices.addMail("care.noView", ["person": account.name], to: caregiver, now: now)
            } else {
                try consents.give(
                    toCaregiver: caregiver, kinds: kinds, purpose: purpose, of: account.id.person, by: account.id)
            }
        }
        return TakenOver(account: account, paper: try paper(for: account))
    }

    /// For who has no mailbox: a link to keep on paper, which sets a new password, once; those before are void. nil for everybody else.
    public func paper(for account: StoredAccount) throws -> String? {
        guard !account.hasMail else { return nil }
        let paper = SecretToken.random(using: accounts.randomness)
        try accounts.care.setPrintedResetLink(paper.hash, of: account, expires: now + Self.paperLifetime)
        return service.url() + "/reset/" + paper.text
    }

    // MARK: Invitations

    /// Offers somebody a caregiver's view (ACC-11). The mail goes to any address alike: nothing tells whether it has an account.
    /// - Parameter account: the person's, or a parent's.
    /// - Returns: false when too many invitations wait.
    /// - Throws: ``Privacy/ConsentProblem``, ``Accounts/FieldError`` about the address.
    public func invite(
        email typed: String, kinds: Set<DataKind>, purpose: String, to person: PersonID, by account: AccountID
    ) throws -> Bool {
        let email = try EmailAddress(typed)
        _ = try ConsentScope(asker: .caregiver(account), kinds: kinds, purpose: purpose, term: .untilRevoked)
        return try send(CareInvitation(person: person, by: account, email: email.address, kinds: kinds, purpose: purpose), to: email)
    }

    /// Offers somebody to decide for a minor as well, as a parent (ACC-17); the mail goes to any address alike.
    /// - Parameter account: of a parent.
    /// - Returns: false when too many invitations wait.
    /// - Throws: ``Privacy/ConsentProblem``, ``Accounts/FieldError`` about the address.
    public func inviteParent(email typed: String, to person: PersonID, by account: AccountID) throws -> Bool {
        let authority = try accounts.consents.authority(over: person)
        guard authority.isMinor(at: now), authority.mayAnswer(account, at: now) else { throw ConsentProblem.notYours }
        let email = try EmailAddress(typed)
        return try send(
            CareInvitation(person: person, by: account, email: email.address, kinds: [], purpose: "", isParent: true), to: email)
    }

    private func send(_ offer: CareInvitation, to email: EmailAddress) throws -> Bool {
        let token = SecretToken.random(using: accounts.randomness)
        return try accounts.care.invite(
            offer, linkHash: token.hash, link: service.url() + "/care/invitation/" + token.text,
            stop: service.url() + "/no-letters/" + UnsubscribeLinks(accounts: accounts).token(email),
            expires: now + Self.invitationLifetime,
            now: now)
    }

    /// The person's invitations that nobody has taken, by what ``withdraw(_:of:)`` takes.
    public func waitingInvitations(of person: PersonID) throws -> [(id: String, offer: CareInvitation)] {
        try accounts.care.waitingInvitations(of: person, now: now).map { waiting in
            (Self.text(waiting.hash), waiting.offer)
        }
    }

    /// Takes an invitation back, whose link works no more. False when somebody has taken it, or it is not this person's.
    public func withdraw(_ id: String, of person: PersonID) throws -> Bool {
        let waiting = try accounts.care.waitingInvitations(of: person, now: now).first { Self.text($0.hash) == id }
        return try waiting.map { try accounts.care.withdrawInvitation($0.hash, of: person) } ?? false
    }

    private static func text(_ hash: [UInt8]) -> String { hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    /// The offer of a link, and the account that offers; nil when it does not work (any more).
    public func invitation(_ link: String) throws -> (offer: CareInvitation, person: String)? {
        guard let token = SecretToken(link), let offer = try accounts.care.invitation(token.hash, now: now),
            let person = try accounts.person(offer.person)
        else { return nil }
        return (offer, person.name)
    }

    /// Takes an invitation, once. False when the link does not work (any more).
    public func take(_ link: String, by caregiver: StoredAccount) throws -> Bool {
        guard let token = SecretToken(link) else { return false }
        return try consents.take(invitation: token.hash, by: caregiver)
    }

    /// Makes the account of an invited caregiver who has none: the link came to the address, so that is confirmed.
    /// - Parameter fields: those of an organiser's form; the address is the invitation's.
    /// - Returns: false when the link does not work (any more), or the address has an account: then its owner logs in.
    /// - Throws: `FormErrors`, `PasswordHasher.Busy`, or what the store throws.
    public func signUp(_ link: String, _ fields: [String: String], language: String) async throws -> Bool {
        guard let (offer, _) = try invitation(link) else { return false }
        var fields = fields
        fields[Field.email.rawValue] = offer.email
        let form = try OrganiserSignUp(fields, documents: service.documents)
        if let known = try accounts.account(email: form.email.canonical), known.confirmed != nil { return false }
        let password = try await service.hash(ofForm: form.password)
        var details = [Field.email.rawValue: form.email.address]
        for field in [Field.firstName, .lastName, .phone] { details[field.rawValue] = fields[field.rawValue].map(AccountService.trimmed) }
        let new = NewAccount(
            roles: [.caregiver], details: details, canonicalEmail: form.email.canonical, canonicalIdentifier: nil, password: password,
            language: language, accepted: [.terms: form.terms])
        guard case .added(let account) = try accounts.addConfirmedAccount(new, now: now) else { return false }
        return try take(link, by: account)
    }

    // MARK: Coming of age

    /// Handlers of the timers that this sets.
    public var timers: [TimerKind: TimerService.Handler] {
        [
            .majority: { timer in
                guard let person = PersonID(bytes: timer.subject) else { return }
                try comeOfAge(person)
            }
        ]
    }

    func comeOfAge(_ person: PersonID) throws {
        let token = SecretToken.random(using: accounts.randomness)
        _ = try accounts.care.comeOfAge(
            person, linkHash: token.hash, link: service.url() + "/reset/" + token.text, linkExpires: now + Self.majorityLifetime, now: now)
        // The parents' streams look at their grant again.
        bus.recheck(person)
    }
}
