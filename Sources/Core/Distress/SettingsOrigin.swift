public import Vitals

/// Which change of a person's settings of AutomatedSOS some settings are. A hub that was restored from a backup has lost changes that a box still
/// has: both see it by this.
public struct SettingsOrigin: Hashable, Sendable, Codable {
    /// The life of the hub in which they were changed; nil where that is not known, as in what a box has of a hub of release 0.3.0.
    public var hub: HubIncarnation?
    /// Counts up within a life of a hub; 0 for a person who has changed nothing.
    public var version: Int
    /// When somebody changed something last, UTC milliseconds of the hub's clock; nil where that is not known. What the hub computes by itself has
    /// a version of its own, and no time.
    public var time: Milliseconds?
    /// The name of who that was; nil where that is not known.
    public var by: String?

    public init(hub: HubIncarnation?, version: Int, time: Milliseconds? = nil, by: String? = nil) {
        (self.hub, self.version, self.time, self.by) = (hub, version, time, by)
    }

    /// Whether both are the same change.
    public func isSame(as other: SettingsOrigin) -> Bool { hub == other.hub && version == other.version }

    /// Whether this holds all of the other: within a life of a hub the higher version wins.
    public func covers(_ other: SettingsOrigin) -> Bool { hub == other.hub && version >= other.version }
}
