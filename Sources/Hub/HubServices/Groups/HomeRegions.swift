public import Accounts
public import HubStore
public import Vitals

/// Where people live, as a place of the list of regions: what their residence says, or what they chose themselves.
public struct HomeRegions: Sendable {
    /// Where somebody's residence lies.
    public enum Home: Sendable, Hashable {
        /// The residence says it.
        case found(RegionCode)
        /// The person chose it for this residence.
        case chosen(RegionCode)
        /// The person wants to be counted in no place.
        case leftOut
        /// The person has to say which: one of these, or another one. They are counted in no place until then.
        case unclear([RegionCode])

        /// Where the person is counted; nil for nowhere.
        public var code: RegionCode? {
            switch self {
            case .found(let code), .chosen(let code): code
            case .leftOut, .unclear: nil
            }
        }
    }

    let accounts: AccountStore
    private let lists: @Sendable () -> RegionList
    let now: @Sendable () -> Milliseconds

    public var list: RegionList { lists() }

    public init(accounts: AccountStore, list: RegionList, now: @escaping @Sendable () -> Milliseconds) {
        self.init(accounts: accounts, lists: { list }, now: now)
    }

    /// - Parameter lists: the list of regions, which is not read before somebody's home is looked up.
    public init(accounts: AccountStore, lists: @escaping @Sendable () -> RegionList, now: @escaping @Sendable () -> Milliseconds) {
        (self.accounts, self.lists, self.now) = (accounts, lists, now)
    }

    /// In the field of a choice: the person is counted in no place.
    public static let none = "-"

    public func home(of account: StoredAccount) -> Home {
        let residence = account[.residence]
        // A choice is over with the residence for which it was made.
        if !account[.homeRegion].isEmpty, account[.homeRegionFor] == residence {
            if account[.homeRegion] == Self.none { return .leftOut }
            // A later list may not have the place any more.
            if let code = RegionCode(account[.homeRegion]), list[code] != nil { return .chosen(code) }
        }
        guard !residence.isEmpty else { return .unclear([]) }
        switch list.home(of: residence, country: account[.taxCountry]) {
        case .found(let code): return .found(code)
        case .unclear(let codes): return .unclear(codes)
        }
    }

    /// As ``home(of:)``, of the profile as it is stored now: a request may just have changed it.
    public func currentHome(of account: StoredAccount) throws -> Home { home(of: try accounts.account(account.id) ?? account) }

    /// Keeps what the person says.
    /// - Parameter choice: the text of a ``Accounts/RegionCode``, ``none``, or empty for what the residence says.
    /// - Returns: false for a place that the list does not have.
    public func choose(_ choice: String, by account: StoredAccount) throws -> Bool {
        guard choice.isEmpty || choice == Self.none || RegionCode(choice).flatMap({ list[$0] }) != nil else { return false }
        // The profile may have changed since the session was read.
        guard let account = try accounts.account(account.id) else { return false }
        var details = account.details
        details[Field.homeRegion.rawValue] = choice.isEmpty ? nil : choice
        details[Field.homeRegionFor.rawValue] = choice.isEmpty ? nil : account[.residence]
        try accounts.setDetails(details, of: account, now: now())
        return true
    }
}
