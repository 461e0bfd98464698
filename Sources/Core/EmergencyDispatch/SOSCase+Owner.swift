public import Distress
package import Vitals

/// The owner of a case, and how they are held to it (SOS-20). Contacts and relatives stop the calls to other contacts and relatives; ambulances and
/// control rooms are stood down by a control room, a crew or the person.
extension SOSCase {
    /// Ambulances are looked for, and may take it.
    public var seeksAmbulance: Bool { isOpen && crew == nil && owner?.isProfessional != true }

    /// An ambulance or a control room may be on it, or crews are asked, or to be looked for: no contact and no relative ends that.
    public var hasAmbulance: Bool {
        crew != nil || seeksAmbulance && searchAt != nil && isSearched != true
            || offers.contains { $0.state == .open || seeksAmbulance && [.rejected, .expired].contains($0.state) }
            || calls.contains { call in
                if case .room = call.recipient { [.waiting, .sent, .acknowledged].contains(call.state) } else { false }
            }
    }

    /// Whether a helper is the one who has it, also under the name by which a box knows them.
    public func isOwned(by helper: Owner) -> Bool {
        guard let owner else { return false }
        if owner == helper { return true }
        return (contacts ?? []).indices.contains { .contact($0) == helper && contacts?[$0].phone.map { owner.id == "tel:\($0)" } ?? false }
    }

    // MARK: Taken and given back

    package mutating func take(by owner: Owner, named name: String?, now: Milliseconds, without rooms: Set<String>) {
        (self.owner, ownerName) = (owner, ownerName ?? name)
        (askAt, answerOwnerBy) = (now + Self.wait(owner), nil)
        guard owner.isProfessional else {
            searchAt = searchAt ?? now
            return tellAll(.taken, now: now, dropping: true, toRooms: false)
        }
        searchAt = nil
        tellCrews(offers.asked.subtracting([owner.crew].compactMap(\.self)), .taken, now: now)
        offers.release(but: owner.crew)
        tellAll(.taken, now: now, dropping: true, without: rooms)
    }

    /// - Parameter isHandedOver: somebody who ranks above takes it at the same moment: nobody is told that it is free.
    package mutating func release(isHandedOver: Bool, now: Milliseconds, without rooms: Set<String>) {
        let wasProfessional = owner?.isProfessional == true
        (owner, askAt, answerOwnerBy) = (nil, nil, nil)
        if isHandedOver { return }
        if let crew { offers.set(.rejected, of: crew.account) }
        (ownerName, crew, reachedAt, searchAt) = (nil, nil, nil, now)
        offers.reopen(now: now)
        tellAll(.released, now: now, dropping: false, without: rooms, toRooms: wasProfessional)
    }

    static func wait(_ owner: Owner) -> Milliseconds {
        owner.isProfessional ? DispatchLimits.askProfessionalAfter : DispatchLimits.askAfter
    }

    // MARK: Asked

    /// When whoever has it is to be asked, or has not answered.
    package var ownerDue: Milliseconds? { isOpen && owner != nil ? answerOwnerBy ?? askAt : nil }

    /// Asks whoever has it, by every way that there is to them.
    package mutating func askOwner(now: Milliseconds) {
        guard let owner else { return }
        (askAt, answerOwnerBy) = (nil, now + DispatchLimits.answerTime)
        if let crew, owner == .crew(crew.account) { return calls.add(.account(crew.account), .notice, .whoIsThere, due: now) }
        for (index, contact) in (contacts ?? []).enumerated() where isOwned(by: .contact(index)) {
            return callContact(index, contact, .whoIsThere, due: now)
        }
        calls.tell(owner, .whoIsThere, due: now)
    }

    /// The owner says where they are.
    /// - Parameter isThere: somebody is with the person: it is not asked again. Otherwise it is, after the same time.
    package mutating func answerOwner(isThere: Bool, now: Milliseconds) {
        if isThere { someoneThere = someoneThere ?? now }
        guard let owner else { return }
        (askAt, answerOwnerBy) = (isThere ? nil : now + Self.wait(owner), nil)
    }

    /// The owner answered the question of a box at that time, on the hub's clock: they are asked again so long after it.
    package mutating func ownerAnsweredBox(at time: Milliseconds) {
        guard let owner, let asks = askAt ?? answerOwnerBy.map({ $0 - DispatchLimits.answerTime }), time + Self.wait(owner) > asks else {
            return
        }
        (askAt, answerOwnerBy) = (time + Self.wait(owner), nil)
    }

    /// They gave no answer. What their box says of them is old until it says something else.
    package mutating func noteGone() { goneOwner = owner }
}
