public import Distress
public import Vitals

/// The settings of AutomatedSOS that a box keeps, and what its hub has instead.
///
/// A hub that was restored from a backup has older settings than the box. Those never replace what is kept: the box hands its own back, and until
/// somebody decides at the hub, the contacts of both are called and "on" wins over "off", unless the person turned it off at the hub since.
public struct HeldSettings: Hashable, Sendable {
    /// As the box stores them: the version that was fetched last, and for each person what holds here.
    public private(set) var kept: SOSSettings

    public init(_ kept: SOSSettings?) { self.kept = kept ?? SOSSettings(version: 0, people: []) }

    /// The outcome of settings that were fetched.
    public struct Taken: Hashable, Sendable {
        /// The hub sent none for these: the last ones hold.
        public var missing: [PersonID] = []
        /// The hub does not know yet what is kept of somebody: to be fetched again behind the next report.
        public var isPending = false
        /// About these box and hub disagree since now.
        public var disputed: [PersonID] = []
        /// About these they agree again.
        public var agreed: [PersonID] = []

        public init() {}
    }

    /// Takes what the hub sent.
    /// - Parameter people: the box's.
    public mutating func take(_ new: SOSSettings, of people: [PersonID]) -> Taken {
        var taken = Taken(), own: [SOSSettings.Person] = [], hubs: [SOSSettings.Person] = []
        for person in people {
            var before = self.own(person)
            // Settings of a hub of release 0.3.0 keep the version that they had.
            before?.origin = origin(of: person)
            let other = self.other(person)
            guard let sent = new.people.first(where: { $0.person == person }) else {
                taken.missing.append(person)
                own += [before].compactMap(\.self)
                hubs += [other].compactMap(\.self)
                continue
            }
            switch verdict(on: sent, before) {
            case .replaces:
                own.append(sent.plain)
                if other != nil { taken.agreed.append(person) }
            case .departs:
                own += [before].compactMap(\.self)
                hubs.append(sent)
                if other == nil { taken.disputed.append(person) }
            case .unknown:
                own += [before].compactMap(\.self)
                hubs += [other].compactMap(\.self)
                taken.isPending = true
            }
        }
        // Nothing is said of where those came from that nobody told of.
        let version = taken.isPending ? kept.version : new.version
        kept = SOSSettings(version: version, people: own, detector: taken.isPending ? kept.detector : new.detector)
        kept.hubs = hubs.isEmpty ? nil : hubs
        return taken
    }

    private enum Verdict { case replaces, departs, unknown }

    private func verdict(on sent: SOSSettings.Person, _ own: SOSSettings.Person?) -> Verdict {
        // A hub of release 0.3.0 does not say where its settings come from: what it sends holds, as ever.
        guard own != nil, let origin = sent.origin, let held = self.origin(of: sent.person) else { return .replaces }
        if let compared = sent.compared, compared.with.isSame(as: held) { return compared.isKnown ? .replaces : .departs }
        guard held.hub != nil, held.hub == origin.hub else { return .unknown }
        return origin.covers(held) ? .replaces : .departs
    }

    /// Which change is kept of a person; nil where nothing is.
    public func origin(of person: PersonID) -> SettingsOrigin? {
        guard let own = own(person) else { return nil }
        // Settings of a hub of release 0.3.0 have one version for all people.
        return own.origin ?? (kept.version > 0 ? SettingsOrigin(hub: nil, version: kept.choicesVersion) : nil)
    }

    /// The kept settings of a person, for a hub that asks for them.
    public func own(_ person: PersonID) -> SOSSettings.Person? { kept.people.first { $0.person == person } }

    /// The hub's own settings, where they disagree.
    public func other(_ person: PersonID) -> SOSSettings.Person? { kept.hubs?.first { $0.person == person } }

    /// By which the box watches and calls.
    public func inForce(_ person: PersonID) -> SOSSettings.Person? {
        guard var own = own(person), let hub = other(person) else { return own(person) }
        for contact in hub.contacts where !own.contacts.contains(where: { $0.phone == contact.phone }) { own.contacts.append(contact) }
        // A hub that was told what is kept here has decided by both already.
        own.distress.isOn = hub.atHub != nil ? hub.distress.isOn : own.isOn(against: hub)
        own.wasTurnedOff = own.distress.isOn ? nil : own.wasTurnedOff ?? hub.wasTurnedOff
        return own
    }
}

extension SOSSettings {
    /// Above this many bits ``version`` counts the form of the content, below it the changes.
    public static let formShift = 24
    /// The count of changes in ``version``.
    public var choicesVersion: Int { version & (1 << Self.formShift - 1) }
}

extension SOSSettings.Person {
    /// Without what it says of a comparison.
    fileprivate var plain: Self {
        var plain = self
        (plain.compared, plain.atHub) = (nil, nil)
        return plain
    }

    fileprivate func isOn(against hub: Self) -> Bool {
        let wasTurnedOffSince = hub.offSince.map { $0 > origin?.time ?? .max } ?? false
        return hub.distress.isOn || distress.isOn && !wasTurnedOffSince
    }
}
