import Accounts
public import Distress
public import HubStore
import Logging
import Seams
public import Vitals

/// The people whom the hub has in memory.
extension SOSService {
    /// nil for somebody unknown or deleted.
    func entry(of person: PersonID) throws -> SOSEntry? {
        guard try accounts.row(of: person) != nil, try !accounts.isDeleted(person) else { return nil }
        let (choice, isConsented) = try chosen(person)
        let account = try accounts.account(AccountID(person))
        let settings = DistressSettings(of: choice, isConsented: isConsented, account: account, now: now())
        var state = SOSWatchState(watch: DistressWatch(person: person, provenance: .live, side: .hub, settings: settings, at: now()))
        state.journal = detectionReader.newestArrival
        return SOSEntry(state: state, choice: choice, isConsented: isConsented, account: account)
    }

    /// The settings of a person that hold, and whether the emergency chain may be told: what a box alone has counts until somebody decides.
    func chosen(_ person: PersonID) throws -> (choice: SOSChoice, isConsented: Bool) {
        let choice = try store.choice(of: person).inForce
        return (choice, try store.consent(of: person) != nil || choice.isOnByCopy)
    }

    /// Has an entry of the person in memory, which begins with what waits to be merged: that may be a call for help. False for nobody.
    func prepare(_ person: PersonID) throws -> Bool {
        if state.withLock({ $0.entries[person] != nil }) { return true }
        guard var entry = try entry(of: person) else { return false }
        (entry.state.journal, entry.watchedSince) = (0, now())
        state.withLock { [entry] state in if state.entries[person] == nil { state.entries[person] = entry } }
        return true
    }

    /// The person's choice, consent or age changed.
    func reload(_ person: PersonID) async throws {
        guard try prepare(person) else { return }
        let number = state.withLock { $0.entries[person]?.reloads.begin() ?? 0 }
        let (choice, isConsented) = try chosen(person), account = try accounts.account(AccountID(person))
        let settings = DistressSettings(of: choice, isConsented: isConsented, account: account, now: now())
        let work = state.withLock { state in
            guard state.entries[person]?.reloads.end(number) == true else { return SOSWork() }
            state.entries[person]?.choice = choice
            state.entries[person]?.account = account
            state.entries[person]?.isConsented = isConsented
            state.entries[person]?.addresseesSeen = .min / 2
            return handle([(.settings(settings), now())], of: person, &state)
        }
        detection.updateWatch(of: person)
        await finish(work)
    }

    /// The case that is open for a person: their own, or one in which they may be meant.
    public func openCase(of person: PersonID) -> SOSCase? { state.withLock { $0.openCase(of: person) } }

    /// The person's name, or those of everybody who may be meant.
    /// - Parameter account: the person's.
    public func name(of item: SOSCase, _ account: StoredAccount?) -> String {
        item.meant.map { $0 == item.person ? account?.name ?? "" : self.account(of: $0)?.name ?? "" }.filter { !$0.isEmpty }
            .joined(separator: ", ")
    }

    /// Who it is; as it was known last, where the accounts cannot be read.
    func account(of person: PersonID) -> StoredAccount? {
        do { return try accounts.account(AccountID(person)) } catch {
            logger.critical("somebody in distress cannot be looked up; what was known is told", metadata: ["error": "\(error)"])
            return state.withLock { $0.entries[person]?.account }
        }
    }
}

extension DistressSettings {
    /// The settings that hold for a person who chose this.
    public init(of choice: SOSChoice, isConsented: Bool, account: StoredAccount?, now: Milliseconds) {
        let today = CalendarDate(utc: now)
        let born = account.flatMap { try? DateOfBirth($0[.dateOfBirth], today: today) }
        self.init(
            isOn: choice.isOn && isConsented, asksFirst: choice.asksFirst, age: born?.age(on: today), personal: choice.personal,
            overrides: choice.overrides, strict: choice.strict, inactivity: choice.inactivity)
    }
}
