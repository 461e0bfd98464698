public import Vitals

/// A friend's view of a lone workout (RUN-19): heart rate and position while it goes on and the person shares it, and no longer than they
/// are friends. The store makes one of what it finds in one transaction.
public struct Friendship: Sendable, Hashable {
    public let person: PersonID
    /// The reader.
    public let friend: AccountID
    public let areFriends: Bool
    /// The person has a workout that goes on, and lets friends see it.
    public let isShared: Bool

    public init(person: PersonID, friend: AccountID, areFriends: Bool, isShared: Bool) {
        (self.person, self.friend, self.areFriends, self.isShared) = (person, friend, areFriends, isShared)
    }

    /// nil for nothing. What lies in a home zone is the caller's to leave out (RUN-15).
    public var grant: Grant? {
        guard areFriends, isShared, friend.person != person else { return nil }
        return Grant(person: person, kinds: DataKind.heartRate.contentIn030.union([.position]), ground: .friend(friend))
    }
}
