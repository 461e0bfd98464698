import Sensing
import SystemBus
import Vitals

extension BlueZSession {
    /// The next thing that is missing between bluetoothd and readings.
    mutating func advance(at time: Milliseconds) -> [Effect] {
        guard isRunning else { return [] }
        if let retryTime, time < retryTime { return [] }
        retryTime = nil
        guard knowsObjects else {
            return ask(.objects, BusCall(BlueZName.service, "/", BlueZName.objectManager, "GetManagedObjects"))
        }
        guard let adapter = objects.adapter(adapterIndex) else { return missAdapter(at: time) }
        adapterMissingSince = nil
        changeAdapter(to: adapter)
        guard adapter.isPowered else { return switchOn(adapter, at: time) }
        (offSince, adapterFailure, isUnblocked, wasPowered) = (nil, nil, false, true)
        return tellLoss(at: time) + reach(on: adapter, at: time)
    }

    private mutating func reach(on adapter: BlueZObjects.Adapter, at time: Milliseconds) -> [Effect] {
        guard let device = objects.device(on: adapter.path) else { return search(adapter, at: time) }
        searchingSince = nil
        if pending.contains(.remove) { return [] }
        if pending.contains(.filter) || pending.contains(.discover) || pending.contains(.stopDiscovery) { return [] }
        if isDiscovering {
            isDiscovering = false
            return ask(.stopDiscovery, BusCall(BlueZName.service, adapter.path, BlueZName.adapter, "StopDiscovery"))
        }
        if !device.isConnected, let link, link.isUnseen, let heard = link.silentSince, time - heard < limits.unseen { return [] }
        if let healing = heal(device, at: time) { return healing }
        return registerAgent() + trust(device) + (device.isConnected ? use(device, at: time) : connect(device, at: time))
    }

    /// The link is no more, or may be.
    mutating func forgetLink() {
        if link?.isTold == true { lossTime = lossTime ?? lastTime }
        (link, connectingSince, searchingSince) = (nil, nil, nil)
        isDiscovering = false
    }

    /// Work under way on another adapter is over.
    private mutating func changeAdapter(to adapter: BlueZObjects.Adapter) {
        if let adapterPath, adapterPath != adapter.path {
            forgetLink()
            giveUpCalls()
        }
        adapterPath = adapter.path
    }

    /// The link is gone, without a reason yet. One that ended before its subscription is opened anew after a pause that grows: to 2 s
    /// where the sensor was fine lately, as it may only be at the edge of the radio's range.
    private mutating func loseLink(at time: Milliseconds) {
        closedTime = nil
        guard let link else { return }
        self.link = nil
        lossTime = lossTime ?? time
        guard !link.isTold else { return }
        let wasFine = fineTime.map { time - $0 < limits.fineFor } ?? false
        pause(delay.take(longest: wasFine ? 2000 : LinkFailure.linkLost.retryDelayMax, jitter: jitter), at: time)
    }

    private mutating func tellLoss(at time: Milliseconds) -> [Effect] {
        guard let since = lossTime, time - since >= limits.reasonPause else { return [] }
        lossTime = nil
        return [.lost(.linkLost)]
    }

    private mutating func missAdapter(at time: Milliseconds) -> [Effect] {
        forgetLink()
        adapterPath = nil
        let since = adapterMissingSince ?? time
        adapterMissingSince = since
        guard time - since >= limits.reasonPause else { return [] }
        lossTime = nil
        return [.lost(.noAdapter(adapterIndex))]
    }

    private mutating func switchOn(_ adapter: BlueZObjects.Adapter, at time: Milliseconds) -> [Effect] {
        forgetLink()
        let since = offSince ?? time
        offSince = since
        var told: [Effect] = adapterFailure.map { [.lost($0)] } ?? []
        // Where nothing was there before, nothing was lost: but if it stays off, it has to be said.
        if time - since >= (lossTime == nil ? limits.absence : limits.reasonPause) {
            lossTime = nil
            if told.isEmpty { told = [.lost(.adapterOff(adapter.index))] }
        }
        guard time - since >= powerPause else { return told }
        return told + ask(.power, .set(BlueZName.service, adapter.path, BlueZName.adapter, "Powered", to: .bool(true)))
    }

    /// A known address need not be announced together with its service, so only the transport is filtered.
    private mutating func search(_ adapter: BlueZObjects.Adapter, at time: Milliseconds) -> [Effect] {
        loseLink(at: time)
        connectingSince = nil
        healing.isRefreshing = false
        let since = searchingSince ?? time
        searchingSince = since
        let absent: [Effect] = time - since >= limits.absence ? [.lost(.outOfRange)] : []
        guard !isDiscovering, !pending.contains(.discover) else { return absent }
        let filter = BusValue.properties(["Transport": .string("le")])
        return absent
            + ask(.filter, BusCall(BlueZName.service, adapter.path, BlueZName.adapter, "SetDiscoveryFilter", [filter]))
    }

    /// So that bluetoothd keeps the sensor, and lets it in when it asks for a new encryption.
    private mutating func trust(_ device: BlueZObjects.Device) -> [Effect] {
        guard !device.isTrusted, !isTrustTried else { return [] }
        isTrustTried = true
        return ask(.trust, .set(BlueZName.service, device.path, BlueZName.device, "Trusted", to: .bool(true)))
    }

    /// bluetoothd answers when the sensor is there, or after it has tried for long enough.
    private mutating func connect(_ device: BlueZObjects.Device, at time: Milliseconds) -> [Effect] {
        loseLink(at: time)
        let since = connectingSince ?? time
        connectingSince = since
        let absent: [Effect] = time - since >= limits.absence ? [.lost(.outOfRange)] : []
        guard retryTime == nil, !pending.contains(.disconnect) else { return absent }
        return absent
            + ask(.connect, BusCall(BlueZName.service, device.path, BlueZName.device, "Connect"), limit: limits.connect)
    }

    private mutating func use(_ device: BlueZObjects.Device, at time: Milliseconds) -> [Effect] {
        connectingSince = link?.isTold == true ? nil : connectingSince ?? time
        if isClosing(at: time) || pending.contains(.pair) { return [] }
        var now = link ?? Link(since: time)
        if now.isUnseen { (now.isUnseen, now.since) = (false, time) }
        if device.isResolved, now.resolvedSince == nil { now.resolvedSince = time }
        link = now
        guard let resolvedSince = now.resolvedSince,
            let measurement = measurement(of: device)
        else { return waitForServices(device, now, at: time) }
        if !now.isSubscribed {
            if !pending.contains(.subscribe), time - resolvedSince >= limits.resolving {
                return drop(device, .noAnswer(after: time - resolvedSince), at: time)
            }
            // A little longer than the sensor has to answer bluetoothd.
            return ask(
                .subscribe, BusCall(BlueZName.service, measurement, BlueZName.characteristic, "StartNotify"),
                limit: limits.resolving + 5000)
        }
        if let silentSince = now.silentSince, time - silentSince >= limits.silence {
            return drop(device, .silent(time - silentSince), at: time)
        }
        return followStatus(device, at: time) + followBattery(device, at: time)
    }

    /// The characteristic that the role needs: the path of its characteristic, nil where the sensor has none.
    func measurement(of device: BlueZObjects.Device) -> String? {
        switch role {
        case .heartRate: objects.characteristic(BlueZName.heartRateMeasurement, of: device.path)
        case .readings:
            SensorCharacteristic.allCases.filter(\.isMeasurement).lazy
                .compactMap { objects.characteristic(BlueZName.characteristic($0), of: device.path) }.first
        }
    }

    private func fits(_ device: BlueZObjects.Device) -> Bool {
        switch role {
        case .heartRate: device.services.contains(BlueZName.heartRateService)
        case .readings:
            SensorCharacteristic.allCases.contains { $0.isMeasurement && device.services.contains(BlueZName.service($0)) }
        }
    }

    private mutating func followStatus(_ device: BlueZObjects.Device, at time: Milliseconds) -> [Effect] {
        guard let due = link?.statusDue, time >= due else { return [] }
        link?.statusDue = time + limits.statusInterval
        return readStatus(of: device)
    }

    mutating func readStatus(of device: BlueZObjects.Device) -> [Effect] {
        guard let path = objects.characteristic(BlueZName.characteristic(.batteryStatus), of: device.path) else { return [] }
        return ask(.readBatteryStatus, Self.read(path), limit: limits.resolving)
    }

    /// A sensor may want to be paired as soon as its services are read, which bluetoothd refuses while there is nobody to ask. Where
    /// somebody else, such as a desktop, is asked by default, that stays so.
    private mutating func registerAgent() -> [Effect] {
        guard !isAgentTried else { return [] }
        isAgentTried = true
        let agent: [BusValue] = [.objectPath(BlueZName.agentPath), .string("NoInputNoOutput")]
        return ask(.agent, BusCall(BlueZName.service, "/org/bluez", BlueZName.agentManager, "RegisterAgent", agent))
    }

    private mutating func waitForServices(_ device: BlueZObjects.Device, _ now: Link, at time: Milliseconds) -> [Effect] {
        if let resolvedSince = now.resolvedSince, time - resolvedSince >= Self.exportPause {
            if !now.isRefreshed {
                link?.isRefreshed = true
                knowsObjects = false
                return ask(.objects, BusCall(BlueZName.service, "/", BlueZName.objectManager, "GetManagedObjects"))
            }
            if !fits(device) { return drop(device, role == .heartRate ? .noHeartRate : .noReadings, at: time) }
        }
        guard time - now.since >= limits.resolving else { return [] }
        return drop(device, .noAnswer(after: time - now.since), at: time)
    }

    /// The link that is still shown is being closed from here, which was told: its end is no loss.
    func isClosing(at time: Milliseconds) -> Bool {
        pending.contains(.disconnect) || closedTime.map { time - $0 < limits.closing } ?? false
    }

    /// Ends the link in order to open it anew, after a pause that grows.
    mutating func drop(_ device: BlueZObjects.Device, _ failure: LinkFailure, at time: Milliseconds) -> [Effect] {
        forgetLink()
        lossTime = nil
        pause(delay.take(longest: failure.retryDelayMax, jitter: jitter), at: time)
        return [.lost(failure)] + ask(.disconnect, BusCall(BlueZName.service, device.path, BlueZName.device, "Disconnect"))
    }

    /// bluetoothd follows most batteries itself (Battery1); one that it leaves to others is read.
    private mutating func followBattery(_ device: BlueZObjects.Device, at time: Milliseconds) -> [Effect] {
        if let percent = objects.battery(of: device.path) {
            guard percent != link?.battery else { return [] }
            link?.battery = percent
            guard let level = BatteryLevel([UInt8(clamping: percent)]) else { return [.problem(.batteryUnreadable(address))] }
            return [.event(.battery(percent: level.percent, time: time))]
        }
        guard let due = link?.batteryDue, time >= due,
            let path = objects.characteristic(BlueZName.batteryLevel, of: device.path)
        else { return [] }
        link?.batteryDue = time + limits.batteryInterval
        return ask(.readBattery, Self.read(path), limit: limits.resolving)
    }

    static func read(_ path: String) -> BusCall {
        BusCall(BlueZName.service, path, BlueZName.characteristic, "ReadValue", [.properties([:])])
    }
}
