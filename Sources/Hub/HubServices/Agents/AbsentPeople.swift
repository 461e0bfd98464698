public import HubStore
public import SyncProtocol
public import Vitals

extension AgentStore.Agent {
    /// Why a box may not send for somebody for whom it does: deleted or left, as it is written down, or a person of whom this hub does not know
    /// that they are bound to it. Only the first two end what the box holds.
    ///
    /// Deletions stand in the key store, whose backup is its latest state alone; bindings are as old as the backup of the accounts.
    public func absence(of person: PersonID, _ accounts: AccountStore) throws -> SyncAnswer.Refusal.Reason {
        if try accounts.isDeleted(person) { return .deleted }
        return try accounts.agents.hasLeft(row, person) ? .left : .notBound
    }

    /// The answer to what the box says of itself.
    /// - Parameter people: of whom it holds something.
    public func answer(holding people: [PersonID], _ accounts: AccountStore) throws -> BoxConditionAnswer {
        BoxConditionAnswer(
            bound: self.people.keys.sorted(),
            gone: try people.filter { try self.people[$0] == nil && absence(of: $0, accounts).endsPerson })
    }
}
