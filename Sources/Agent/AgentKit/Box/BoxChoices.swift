internal import Logging
internal import SyncProtocol
internal import Vitals

/// People's choices at the box, and their file. It holds at once, whether the disk takes it or not.
@BoxActor
final class BoxChoices {
    var settings: BoxSettings
    private let file: SettingsFile

    nonisolated init(_ settings: BoxSettings, in directory: StateDirectory, logger: Logger) {
        self.settings = settings
        file = SettingsFile(directory, logger: logger)
    }

    subscript(person: PersonID) -> BoxSettings.Choices {
        get { settings[person] }
        set { settings[person] = newValue }
    }

    /// Begins to write. What goes wrong is logged: who does not tell anybody of it need not wait.
    @discardableResult
    func keep() -> Pending<AgentProblem?> { file.write(settings) }

    /// Everything so far was written, or refused.
    func written() -> Pending<Void> { file.written() }

    func endPause(of person: PersonID) {
        guard settings[person].pause != nil else { return }
        settings[person].pause = nil
        keep()
    }
}

extension BoxSettings.Pause {
    /// When it ends in this boot's clock. That of another boot can only be known by a clock: where that is no help the pause is over,
    /// because watching too early does no harm. Where nothing confirms the clock yet, ``settled(in:until:at:utc:)`` looks again.
    func end(in boot: BootID, at now: Milliseconds, utc: Milliseconds) -> Milliseconds {
        if boot == self.boot { return until }
        let left = self.utc - utc
        return (0...86_400_000).contains(left) ? now + left : now
    }

    /// Its end is not known by the confirmed time yet: it is of another boot, or began before there was one.
    func isUnsettled(in boot: BootID) -> Bool { boot != self.boot || knownUTC == nil }

    /// As soon as it is confirmed what time it is: a pause of another boot, whose rest was taken from a clock that may have stood still,
    /// ends at its time, or earlier where that clock said so; and one that was begun before gets its end for the hub and for other boots.
    /// - Parameter until: its end so far, in this boot's clock.
    func settled(in boot: BootID, until: Milliseconds, at now: Milliseconds, utc: Milliseconds) -> Self {
        var settled = self
        if boot == self.boot {
            settled.utc = utc + until - now
        } else {
            (settled.boot, settled.until) = (boot, min(until, now + self.utc - utc))
        }
        return settled
    }
}
