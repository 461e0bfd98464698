public import Accounts
public import Groups
public import HubStore
public import Logging
import Synchronization
public import Vitals

/// Attributes by which people are counted in statistics about groups.
public struct GroupAttributes: Sendable, Hashable {
    /// nil where the profile does not say it.
    public let gender: Gender?
    public let band: AgeBand
    /// Where they live; nil where they count in no place.
    public let region: RegionCode?

    public init(gender: Gender?, band: AgeBand, region: RegionCode?) { (self.gender, self.band, self.region) = (gender, band, region) }

    /// A person who does not say it counts as other.
    public var sex: CellSex {
        switch gender {
        case .female: .female
        case .male: .male
        case .other, nil: .other
        }
    }
}

/// Sex, age and place of a profile: the one place where it is read for statistics about groups.
struct GroupProfile: Sendable {
    private let born: DateOfBirth
    private let gender: Gender?
    private let region: RegionCode?

    /// The form has checked that nobody was born in the future.
    private static let farDay = CalendarDate(utc: 253_370_764_800_000)

    /// nil without a date of birth.
    init?(_ account: StoredAccount, _ regions: HomeRegions) {
        guard let born = try? DateOfBirth(account[.dateOfBirth], today: Self.farDay) else { return nil }
        (self.born, gender, region) = (born, Gender(rawValue: account[.gender]), regions.home(of: account).code)
    }

    /// Whole years.
    func age(on day: CalendarDate) -> Int { born.age(on: day) }

    func attributes(on day: CalendarDate) -> GroupAttributes {
        GroupAttributes(gender: gender, band: AgeBand(age: age(on: day)), region: region)
    }
}

/// The people who count in statistics about groups, with their attributes. In memory alone: no disk has what the sealed profiles hide, and nothing of it
/// is in a backup from which somebody was deleted.
///
/// It is read from the profiles after a start, and once more for each person of whom something changes.
public final class AttributeIndex: Sendable {
    private struct Entry {
        let profile: GroupProfile
        let created: Milliseconds
        let hasParentsYes: Bool
    }

    private struct State {
        var entries: [PersonID: Entry] = [:]
        var isWhole = false
        /// People whose profile changed while ``AttributeIndex/rebuild()`` reads: it may have read an older one.
        var changed: Set<PersonID>?
    }

    private let accounts: AccountStore
    private let regions: HomeRegions
    private let logger: Logger
    private let state = Mutex(State())

    /// Profiles that are read at once.
    private static let batch = 500

    /// - Parameter deletion: says who was deleted.
    public init(accounts: AccountStore, regions: HomeRegions, deletion: Deletion, logger: Logger) {
        (self.accounts, self.regions, self.logger) = (accounts, regions, logger)
        accounts.listenToProfiles { [weak self] in self?.changed($0) }
        deletion.whenPersonIsDeleted { [weak self] in self?.changed($0) }
    }

    /// Whether all profiles were read. Nothing is counted before that.
    public var isWhole: Bool { state.withLock { $0.isWhole } }

    public var count: Int { state.withLock { $0.entries.count } }

    /// Reads all profiles, in parts that hold up no writer. What was known before stays usable meanwhile. Not beside another one.
    public func rebuild() throws {
        state.withLock { $0.changed = [] }
        var read: [PersonID: Entry] = [:], row: Int64 = 0
        do {
            while case let part = try accounts.consents.groups.members(after: row, Self.batch), let end = part.upTo {
                for member in part.members { read[member.account.id.person] = entry(member) }
                row = end
            }
        } catch {
            state.withLock { $0.changed = nil }
            throw error
        }
        state.withLock { state in
            for person in state.changed ?? [] { read[person] = state.entries[person] }
            state.entries = read
            (state.changed, state.isWhole) = (nil, true)
        }
    }

    /// Reads one person's profile and choice once more. Who cannot be read does not count.
    public func changed(_ person: PersonID) {
        // Under the lock: of two changes the later one must be read last.
        state.withLock { state in
            do {
                state.entries[person] = try accounts.consents.groups.member(person).flatMap(entry)
            } catch {
                state.entries[person] = nil
                logger.error("somebody is not counted in statistics: their profile cannot be read", metadata: ["error": "\(error)"])
            }
            state.changed?.insert(person)
        }
    }

    /// By what somebody is counted on a day; nil for who does not count.
    public func attributes(of person: PersonID, on day: CalendarDate) -> GroupAttributes? {
        state.withLock { $0.entries[person] }?.profile.attributes(on: day)
    }

    /// Everybody who may count, in the order of their identifiers, which is one that tells nothing.
    func people() -> [GroupValues.Person] {
        state.withLock { $0.entries.map { GroupValues.Person($0.key, created: $0.value.created) } }.sorted { $0.person < $1.person }
    }

    /// Everybody who counts in a window, with what they are counted by on its first day, in no order. Somebody below ``Groups/Eligibility/adultAge``
    /// counts only with a parent's yes, whoever opened their account.
    func eachMember(in window: GroupWindow, _ tell: (PersonID, GroupAttributes) -> Void) {
        let first = CalendarDate(utc: window.start), end = CalendarDate(utc: window.end)
        for (person, entry) in state.withLock({ $0.entries }) {
            let eligibility = Eligibility(
                created: entry.created, daysWithData: Eligibility.daysWithDataMin, age: entry.profile.age(on: end),
                hasParentsYes: entry.hasParentsYes)
            if eligibility.counts(in: window) { tell(person, entry.profile.attributes(on: first)) }
        }
    }

    /// nil for who does not count: an objection, a minor without a parent's yes, or no date of birth.
    private func entry(_ member: GroupMember) -> Entry? {
        let account = member.account
        guard member.standing.isCounted, let profile = GroupProfile(account, regions) else { return nil }
        let choice = member.standing.choice
        return Entry(
            profile: profile, created: account.created, hasParentsYes: choice.map { $0.isCounted && $0.by != account.id } ?? false)
    }
}
