import Sensing
import SystemBus
import Vitals

extension BlueZSession {
    /// The known state of a bluetoothd that disagrees with the kernel about a link: it says or means connected, and no services come; or it
    /// waits for a sensor whose link stands.
    struct Healing: Equatable {
        /// bluetoothd has started anew, and nothing was subscribed since: then it happens.
        var isAfterRestart = false
        /// Answers to Connect, one after the other, that say the link is there or is being opened, while it is not seen.
        var refusals = 0
        var lastTime: Milliseconds?
        /// The tries that only time called for.
        var tries = 0
        /// The objects are asked for; the link is closed next, unless they show that all is well.
        var isRefreshing = false
        var wasConnected = false
    }

    private static let refusalsMax = 3
    private static let triesMax = 3

    /// When the link is to be opened anew, though nothing has failed; nil for never.
    var healDue: Milliseconds? {
        guard !pending.contains(.pair), !hasServices, let since = link?.since ?? connectingSince else { return nil }
        let next = healing.lastTime.map { $0 + limits.healInterval }
        if healing.refusals >= Self.refusalsMax { return next ?? since }
        guard healing.isAfterRestart, healing.tries < Self.triesMax else { return nil }
        return max(since + limits.stuck, next ?? since)
    }

    private var hasServices: Bool {
        guard let device, device.isConnected, device.isResolved else { return false }
        return measurement(of: device) != nil
    }

    /// nil when there is nothing to heal.
    mutating func heal(_ device: BlueZObjects.Device, at time: Milliseconds) -> [Effect]? {
        if healing.isRefreshing { return closeUnlessWell(device, at: time) }
        guard let due = healDue, time >= due, !pending.contains(.disconnect) else { return nil }
        if healing.refusals < Self.refusalsMax { healing.tries += 1 }
        (healing.refusals, healing.lastTime, healing.isRefreshing, healing.wasConnected) = (0, time, true, device.isConnected)
        giveUpCalls()
        knowsObjects = false
        return ask(.objects, BusCall(BlueZName.service, "/", BlueZName.objectManager, "GetManagedObjects"))
    }

    private mutating func closeUnlessWell(_ device: BlueZObjects.Device, at time: Milliseconds) -> [Effect]? {
        healing.isRefreshing = false
        if hasServices { return nil }
        if device.isConnected, !healing.wasConnected {
            // The link was there unseen: its services get their time.
            healing.lastTime = nil
            return nil
        }
        link = nil
        pause(300, at: time)
        return ask(.disconnect, BusCall(BlueZName.service, device.path, BlueZName.device, "Disconnect"))
    }

    /// Answers that still come do not count, and every call can be made anew.
    mutating func giveUpCalls() {
        generation += 1
        pending = []
    }

    /// There is a subscription, or a value came.
    mutating func linkIsGood() {
        connectingSince = nil
        healing = Healing()
    }
}
