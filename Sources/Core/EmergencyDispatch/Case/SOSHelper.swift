public import Distress
public import Vitals

/// Somebody who was called, or looks after the person.
public enum SOSHelper: Sendable, Hashable {
    case contact(Int, name: String)
    case account(AccountID, name: String)
    /// A control room: it may end what others have.
    case room(name: String)

    public var owner: Owner {
        switch self {
        case .contact(let index, _): .contact(index)
        case .account(let account, _): .account(account)
        case .room(let name): .room(name)
        }
    }
    /// Whether it may end a case that somebody else has, and stand ambulances down.
    public var hasAuthority: Bool { if case .room = self { true } else { false } }
    public var name: String {
        switch self {
        case .contact(_, let name), .account(_, let name), .room(let name): name
        }
    }
}

/// A helper's word about a case.
public enum SOSHelperAct: String, Sendable, Hashable, CaseIterable {
    /// I have seen it.
    case seen
    /// I see to it.
    case take
    /// I am still at it, and nobody is with the person yet.
    case coming
    /// Somebody is with the person.
    case arrived
    /// I cannot come after all.
    case release
    /// It is over.
    case finish
}

extension Owner {
    package static func crew(_ account: AccountID) -> Owner { Owner("crew:\(account)") }
    package static func account(_ account: AccountID) -> Owner { Owner("account:\(account)") }
    package static func contact(_ index: Int) -> Owner { Owner("contact:\(index)") }
    package static func room(_ name: String) -> Owner { Owner("room:\(name)") }
    /// The hub itself, for a case that nobody can know any more.
    package static let hub = Owner("hub")

    /// Somebody whose word comes to the hub first: what a box says of them may be old.
    package var isKnownHere: Bool { ["crew:", "account:", "contact:", "room:"].contains { id.hasPrefix($0) } || self == .hub }

    /// The crew's account; nil for other owners.
    package var crew: AccountID? { id.hasPrefix("crew:") ? AccountID(String(id.dropFirst(5))) : nil }
}
