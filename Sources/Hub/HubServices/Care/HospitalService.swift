import Accounts
public import Credentials
public import HubStore
import Logging
import Synchronization
public import Vitals

/// Hospitals, their ambulances and crews (ACC-16). Dispatch reads ``HubStore/AccountStore/onDutyCrews()``.
public struct HospitalService: Sendable {
    let service: AccountService
    private let audit: AuditLog
    private let guesses = FailedAttemptLimiter()
    /// Dispatch's copy of who is where, and its time (``SOSService/now``): by it a crew's place counts where the hub's clock was set back.
    private let index: CrewIndex?
    private let dispatchTime: @Sendable () -> Milliseconds

    /// A crew's code works for a day, once.
    public static let codeLifetime: Milliseconds = 24 * 3_600_000
    private static let codePurpose = "crew", trackerPurpose = "crew tracker"
    /// A place from further ahead than this is from a wrong clock, milliseconds.
    private static let aheadMax: Milliseconds = 60_000

    private final class FailedAttemptLimiter: Sendable { let codes = Mutex(AttemptLimiter()) }

    public init(service: AccountService, audit: AuditLog, crews: CrewIndex? = nil, dispatchTime: (@Sendable () -> Milliseconds)? = nil) {
        (self.service, self.audit, index, self.dispatchTime) = (service, audit, crews, dispatchTime ?? service.now)
    }

    private var accounts: AccountStore { service.accounts }

    /// Why something was not done.
    public enum Problem: Error, Sendable, Hashable {
        /// The account may not do this, or the thing is somebody else's.
        case notYours
        /// The hospital is not admitted (any more).
        case notAdmitted
        /// A name has 1 to 60 characters, a plate 1 to 20, and no control characters.
        case label
        /// The hospital has ``HubStore/AccountStore/ambulancesMax`` ambulances.
        case tooMany
        /// The account has no ambulance.
        case noAmbulance
        /// It is not on duty: nothing of where it is is kept.
        case offDuty
        /// No place on earth, or a time that cannot be.
        case badPlace
    }

    // MARK: The operator

    /// Organisations with what was decided about them, the newest first.
    public func hospitals(for account: StoredAccount) throws -> [StoredHospital] {
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        return try accounts.hospitals.hospitals()
    }

    /// Admits an organisation as a hospital, or takes that back. It is told by mail, and it stands in the audit log.
    public func decide(_ organisation: AccountID, admit: Bool, by account: StoredAccount) throws {
        guard account.roles.contains(.operator), let hospital = try accounts.account(organisation), hospital.confirmed != nil,
            hospital.roles.contains(.organisation)
        else { throw Problem.notYours }
        let time = service.now()
        guard try admit ? accounts.hospitals.admitHospital(hospital, now: time) : accounts.hospitals.withdrawHospital(hospital, now: time)
        else { return }
        try audit.append(admit ? .hospitalAdmitted : .hospitalWithdrawn, by: account.id, on: organisation, now: time)
        try accounts.notices.addMail(admit ? "hospital.admitted" : "hospital.withdrawn", to: hospital, now: time)
    }

    // MARK: The hospital

    public func isHospital(_ account: StoredAccount) throws -> Bool { try accounts.hospitals.isHospital(account) }

    public func ambulances(of hospital: StoredAccount) throws -> [StoredAmbulance] { try accounts.hospitals.ambulances(of: hospital) }

    /// Adds an ambulance.
    /// - Throws: ``Problem``.
    public func add(name: String, plate: String, of hospital: StoredAccount) throws {
        func isFit(_ text: String, _ length: ClosedRange<Int>) -> Bool {
            length.contains(text.count) && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        }
        let name = AccountService.trimmed(name), plate = AccountService.trimmed(plate)
        guard isFit(name, 1...60), isFit(plate, 1...20) else { throw Problem.label }
        guard try accounts.hospitals.isHospital(hospital) else { throw Problem.notAdmitted }
        guard try accounts.hospitals.addAmbulance(AmbulanceLabel(name: name, plate: plate), of: hospital, now: service.now()) != nil else {
            throw Problem.tooMany
        }
    }

    /// Makes a code for a crew of one of the hospital's ambulances; it is shown once.
    /// - Throws: ``Problem``.
    public func code(for ambulance: Int64, of hospital: StoredAccount) throws -> ShortCode {
        guard try accounts.hospitals.isHospital(hospital) else { throw Problem.notAdmitted }
        let code = ShortCode.random(using: accounts.randomness), time = service.now()
        let isKept = try accounts.hospitals.addCrewCode(
            code.hash(purpose: Self.codePurpose), ambulance: ambulance, of: hospital, expires: time + Self.codeLifetime, now: time)
        guard isKept else { throw Problem.notYours }
        return code
    }

    public func remove(_ ambulance: Int64, of hospital: StoredAccount) throws {
        guard try accounts.hospitals.removeAmbulance(ambulance, of: hospital, now: service.now()) else { throw Problem.notYours }
    }

    public func remove(crew: AccountID, of hospital: StoredAccount) throws {
        guard try accounts.hospitals.removeCrew(crew, of: hospital) else { throw Problem.notYours }
    }

    // MARK: The crew

    /// The outcome of a code.
    public enum Joined: Sendable {
        case wrongCode
        case wait(seconds: Int)
        /// Somebody who was logged in belongs to the ambulance now; a second factor may be wanted with the next log-in.
        case joined
        /// A mail went to the address, the same answer whether it has an account: with its link, or to its owner. The code was not used up.
        case mailed
    }

    /// Somebody of a crew brings the code that the hospital gave them.
    /// - Parameters:
    ///   - session: of whoever is logged in; nil makes an account, which waits for its confirmation.
    ///   - fields: `code`, and without a session those of an organiser's form.
    /// - Throws: `FormErrors`, `PasswordHasher.Busy`, or what the store throws.
    public func join(
        _ fields: [String: String], _ session: StoredSession?, language: String, _ browser: FactorService.Browser
    ) async throws -> Joined {
        let time = service.now()
        // By the network: one that guesses shuts nobody else out. 40 random bits, valid for a day, bear guessing from many.
        let source = AttemptSource(address: browser.address)
        let attempt = AttemptLimiter.Attempt(account: "\(Self.codePurpose) \(source.text)", source: source)
        if case .wait(let seconds) = guesses.codes.withLock({ $0.begin(attempt, utc: time) }) { return .wait(seconds: seconds) }
        guard let hash = ShortCode(typed: fields["code"] ?? "")?.hash(purpose: Self.codePurpose),
            try accounts.hospitals.isCrewCode(hash, now: time)
        else {
            _ = guesses.codes.withLock { $0.failed(attempt, utc: time) }
            return .wrongCode
        }
        guesses.codes.withLock { $0.succeeded(attempt, utc: time) }
        if let session { return try accounts.hospitals.joinCrew(hash, session.account, now: time) ? .joined : .wrongCode }
        // Nobody has proved the address yet: the code stays good, and is typed again by whoever has confirmed it and logged in.
        try await service.signUp(.responder, fields, language: language)
        return .mailed
    }

    public func membership(of account: StoredAccount) throws -> CrewMembership? { try accounts.care.membership(of: account) }

    /// Goes on duty, or off: then its place is forgotten.
    /// - Throws: ``Problem``.
    public func setDuty(_ isOn: Bool, _ account: StoredAccount) throws {
        guard account.roles.contains(.responder) else { throw Problem.notYours }
        defer { index?.changed(account.id, isOnDuty: isOn) }
        guard isOn else { return try accounts.care.endDuty(account) }
        guard let membership = try accounts.care.membership(of: account) else { throw Problem.noAmbulance }
        guard membership.isHospitalAdmitted, try accounts.care.beginDuty(account, now: service.now()) else { throw Problem.notAdmitted }
    }

    /// Lets a phone's program (OwnTracks, Traccar Client) send the place of a crew; the secret before is void, and this one is shown once.
    public func makeTracker(_ account: StoredAccount) throws -> ShortCode {
        let secret = ShortCode.random(length: Devices.secretLength, using: accounts.randomness)
        guard try accounts.care.setTracker(secret.hash(purpose: Self.trackerPurpose), of: account) else { throw Problem.noAmbulance }
        return secret
    }

    /// The crew member whose phone's secret was typed; nil for a wrong one.
    public func crew(secret typed: String) throws -> StoredAccount? {
        guard let code = ShortCode(typed: typed, length: Devices.secretLength) else { return nil }
        return try accounts.care.crew(tracker: code.hash(purpose: Self.trackerPurpose))
    }

    /// Keeps where a crew is, as its last known place.
    /// - Throws: ``Problem``.
    public func setPlace(_ place: CrewPosition, of account: StoredAccount) throws {
        guard (-90...90).contains(place.latitude), (-180...180).contains(place.longitude), place.latitude != 0 || place.longitude != 0,
            place.time <= dispatchTime() + Self.aheadMax, place.time > 0, place.accuracy.map({ $0 >= 0 && $0.isFinite }) ?? true
        else { throw Problem.badPlace }
        guard try accounts.care.setPlace(place, of: account) else { throw Problem.offDuty }
        index?.changed(account.id, place: place)
    }
}
