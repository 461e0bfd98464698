import Sensing
import SystemBus
import Vitals

extension BlueZSession {
    /// The sensor, where bluetoothd knows it.
    var device: BlueZObjects.Device? {
        objects.adapter(adapterIndex).flatMap { objects.device(on: $0.path) }
    }

    mutating func succeeded(_ operation: Operation, _ values: [BusValue], at time: Milliseconds) -> [Effect] {
        switch operation {
        case .objects:
            objects.replace(with: BlueZObjects.objects(values))
            knowsObjects = true
        case .power:
            let index = objects.adapter(adapterIndex)?.index ?? 0
            pause(300, at: time)
            return [.problem(.switchedOn(adapter: index))]
        case .filter:
            guard let adapter = objects.adapter(adapterIndex) else { return [] }
            return ask(.discover, BusCall(BlueZName.service, adapter.path, BlueZName.adapter, "StartDiscovery"))
        case .discover: isDiscovering = true
        case .connect:
            // The property comes first; where it does not, the call is not repeated at once.
            guard device?.isConnected != true else { break }
            healing.refusals += 1
            pause(1000, at: time)
        case .subscribe: return subscribed(at: time)
        case .readLocation:
            guard let location = values.first?.bytes.flatMap({ BodySensorLocation($0) }) else {
                return [.problem(.batteryUnreadable(address))]
            }
            return [.event(.bodyLocation(location.rawValue, time: time))]
        case .readBattery: return [takeBattery(values.first?.bytes ?? [], at: time)]
        case .readBatteryStatus: return take(values.first?.bytes ?? [], of: .batteryStatus, at: time)
        case .readTemperaturePlace:
            let value = values.first?.bytes ?? []
            self.values.place = value.count == 1 ? TemperaturePlace(rawValue: value[0]) : nil
        case .remove: removed(at: time)
        case .disconnect: closedTime = time
        case .agent, .pair, .stopDiscovery, .trust, .subscribeTo: break
        }
        return []
    }

    private mutating func subscribed(at time: Milliseconds) -> [Effect] {
        guard link != nil, let device else { return [] }
        link?.isSubscribed = true
        let told = tellConnected(at: time)
        link?.batteryDue = time
        var asked: [Effect] = []
        if role == .heartRate, let location = objects.characteristic(BlueZName.bodySensorLocation, of: device.path) {
            asked = ask(.readLocation, Self.read(location), limit: limits.resolving)
        }
        return told + asked + subscribeToOthers(of: device)
    }

    private mutating func subscribeToOthers(of device: BlueZObjects.Device) -> [Effect] {
        let needed = measurement(of: device)
        var effects: [Effect] = []
        for characteristic in SensorCharacteristic.allCases {
            guard let path = objects.characteristic(BlueZName.characteristic(characteristic), of: device.path), path != needed else {
                continue
            }
            effects += ask(
                .subscribeTo(characteristic), BusCall(BlueZName.service, path, BlueZName.characteristic, "StartNotify"),
                limit: limits.resolving + 5000)
        }
        if let place = objects.characteristic(BlueZName.temperatureType, of: device.path) {
            effects += ask(.readTemperaturePlace, Self.read(place), limit: limits.resolving)
        }
        return effects + readStatus(of: device)
    }

    private mutating func tellConnected(at time: Milliseconds) -> [Effect] {
        guard link?.isTold == false else { return [] }
        link?.isTold = true
        linkIsGood()
        link?.silentSince = time
        let loss: [Effect] = lossTime == nil ? [] : [.lost(.linkLost)]
        lossTime = nil
        return loss + [.event(.connected(time: time))]
    }

    // MARK: Values

    /// Reads of other characteristics show their value too.
    mutating func take(_ value: [UInt8], from path: String, at time: Milliseconds) -> [Effect] {
        guard let device else { return [] }
        if path == objects.characteristic(BlueZName.batteryLevel, of: device.path) {
            return pending.contains(.readBattery) ? [] : [takeBattery(value, at: time)]
        }
        if let characteristic = objects.sensorCharacteristic(at: path) {
            // A value that is read comes as its answer, too.
            let isAnswered = characteristic == .batteryStatus && pending.contains(.readBatteryStatus)
            return isAnswered ? [] : take(value, of: characteristic, at: time)
        }
        guard role == .heartRate, path == objects.characteristic(BlueZName.heartRateMeasurement, of: device.path) else { return [] }
        do throws(HeartRateMeasurement.Malformed) {
            let measurement = try HeartRateMeasurement(value)
            return hear(device, at: time) + countPadded(measurement) + [.event(.measurement(measurement.sample(time: time)))]
        } catch { return countUnusable(error.description) }
    }

    private mutating func take(_ value: [UInt8], of characteristic: SensorCharacteristic, at time: Milliseconds) -> [Effect] {
        do throws(SensorValueProblem) {
            let event = try values.take(value, of: characteristic, at: time)
            let heard = role == .readings && characteristic.isMeasurement ? device.map { hear($0, at: time) } ?? [] : []
            return heard + (event.map { [.event($0)] } ?? [])
        } catch { return countUnusable(error.description) }
    }

    /// A value of what the role needs came. bluetoothd may have kept the subscription: it can come before the answer to StartNotify. Of a link
    /// that is being closed the reading counts, and the link does not.
    private mutating func hear(_ device: BlueZObjects.Device, at time: Milliseconds) -> [Effect] {
        if link == nil, !isClosing(at: time) { link = Link(since: time) }
        if !device.isConnected, link?.isUnseen == false {
            link?.isUnseen = true
            // It may be shown by now.
            knowsObjects = false
        }
        let told = tellConnected(at: time)
        link?.silentSince = time
        delay.reset()
        (fineTime, isRemovalTried) = (time, false)
        return told
    }

    private func takeBattery(_ value: [UInt8], at time: Milliseconds) -> Effect {
        guard let level = BatteryLevel(value) else { return .problem(.batteryUnreadable(address)) }
        return .event(.battery(percent: level.percent, time: time))
    }

    /// Told at the first and then at every doubling.
    private mutating func countUnusable(_ reason: String) -> [Effect] {
        unusable += 1
        return unusable & (unusable - 1) == 0 ? [.problem(.unreadable(measurements: unusable, last: reason, address))] : []
    }

    private mutating func countPadded(_ measurement: HeartRateMeasurement) -> [Effect] {
        guard measurement.trailingBytes > 0 else { return [] }
        padded += 1
        return padded & (padded - 1) == 0 ? [.problem(.padded(measurements: padded, address))] : []
    }

    // MARK: Errors

    mutating func failed(_ operation: Operation, _ error: BusError, at time: Milliseconds) -> [Effect] {
        // bluetoothd's end is told by its name; an object that is gone by its removal, which may not have been seen.
        if error.isUnknownService {
            pause(1000, at: time)
            return []
        }
        if error.isUnknownObject, operation != .trust, operation != .agent { knowsObjects = false }
        if error.isAccessDenied {
            pause(5000, at: time)
            return [.lost(.busForbids(error.description))]
        }
        switch operation {
        case .power: return powerFailed(error, at: time)
        case .connect: return connectFailed(error, at: time)
        case .subscribe: return subscribeFailed(error, at: time)
        case .pair:
            guard let device else { return [] }
            return drop(device, .pairingFailed(error.description), at: time)
        case .discover where error.isInProgress:
            isDiscovering = true
            return []
        case .objects, .filter, .discover:
            pause(delay.take(longest: 5000, jitter: jitter), at: time)
            // At its start and at its end bluetoothd refuses for a moment.
            return error.isNotReady || error.isUnknownObject || error.isInProgress ? [] : [.lost(.bluez("searching", error.description))]
        // Good to have, or over in any case.
        case .trust, .agent, .readLocation, .readBattery, .stopDiscovery, .readTemperaturePlace: return []
        case .subscribeTo(.batteryStatus):
            link?.statusDue = time + limits.statusInterval
            return []
        case .readBatteryStatus: return [.problem(.batteryUnreadable(address))]
        case .subscribeTo(let characteristic): return [.problem(.notSubscribed(to: characteristic, error.description, address))]
        case .remove, .disconnect:
            pause(500, at: time)
            return []
        }
    }

    private mutating func powerFailed(_ error: BusError, at time: Milliseconds) -> [Effect] {
        pause(2000, at: time)
        if error.isInProgress || error.isUnknownObject { return [] }
        // A block by rfkill has many names: kernel 6.1 and bluetoothd 5.66 say no more than Failed.
        adapterFailure = .adapterRefuses(objects.adapter(adapterIndex)?.index ?? 0, error.description)
        return [.unblockRadio]
    }

    mutating func radio(_ outcome: RadioSwitch.Outcome, at time: Milliseconds) -> [Effect] {
        switch outcome {
        case .unblocked:
            // bluetoothd may switch the adapter on by itself now, so this is the moment to tell.
            pause(500, at: time)
            // Blocked again at once, its refusal is told.
            if isUnblocked { return [] }
            (isUnblocked, adapterFailure) = (true, nil)
            return [.problem(.unblocked)]
        case .hard: adapterFailure = .radioBlocked(isHard: true)
        case .notPermitted: adapterFailure = .radioBlocked(isHard: false)
        // Another sensor's source may just have unblocked it; if not, the refusal is told.
        case .nothingBlocked: break
        }
        return []
    }

    private mutating func connectFailed(_ error: BusError, at time: Milliseconds) -> [Effect] {
        if error.name == "org.bluez.Error.AlreadyConnected" {
            // Then the property is on its way, unless bluetoothd is stuck.
            healing.refusals += 1
            pause(1000, at: time)
            return []
        }
        healing.refusals = error.isInProgress ? healing.refusals + 1 : 0
        let longest = error.isInProgress || error.isNotReady ? 1000 : LinkFailure.outOfRange.retryDelayMax
        pause(delay.take(longest: longest, jitter: jitter), at: time)
        if error.isInProgress || error.isNotReady || error.isUnknownObject || error.isTransient { return [] }
        guard error.name == "org.bluez.Error.Failed" || error.isTimeout else { return [.lost(.bluez("connecting", error.description))] }
        // Failed, with changing words: the sensor did not answer for as long as bluetoothd tried; or, at once, the adapter went.
        guard let since = connectingSince, time - since >= limits.absence else { return [] }
        return [.lost(.outOfRange)]
    }

    private mutating func subscribeFailed(_ error: BusError, at time: Milliseconds) -> [Effect] {
        guard let device, device.isConnected else { return [] }
        if error.isInProgress || error.isUnknownObject {
            pause(300, at: time)
            return []
        }
        if error.asksForPairing, !device.isPaired, !isPairingTried {
            isPairingTried = true
            return ask(.pair, BusCall(BlueZName.service, device.path, BlueZName.device, "Pair"), limit: 60_000)
        }
        isPairingTried = false
        guard error.asksForPairing else { return drop(device, .bluez("subscribing", error.description), at: time) }
        return device.isPaired ? renewBond(device, at: time) : drop(device, .pairingFailed(error.description), at: time)
    }

    /// bluetoothd holds a bond that the sensor does not know any more: bluetoothd forgets the sensor, once, and it is found and paired anew.
    private mutating func renewBond(_ device: BlueZObjects.Device, at time: Milliseconds) -> [Effect] {
        guard !isRemovalTried, let adapter = objects.adapter(adapterIndex) else { return drop(device, .bondLost, at: time) }
        isRemovalTried = true
        forgetLink()
        return [.problem(.bondRenewed(address))]
            + ask(.remove, BusCall(BlueZName.service, adapter.path, BlueZName.adapter, "RemoveDevice", [.objectPath(device.path)]))
    }

    private mutating func removed(at time: Milliseconds) {
        isTrustTried = false
        knowsObjects = false
        pause(300, at: time)
    }
}

extension BusError {
    var isInProgress: Bool { ["org.bluez.Error.InProgress", "org.bluez.Error.Busy"].contains(name) }
    var isNotReady: Bool { name == "org.bluez.Error.NotReady" }
    /// A try that something else ended at this machine: it is simply made again. The words are bluetoothd's.
    var isTransient: Bool { ["abort-by-local", "canceled", "cancelled", "concurrent-connection"].contains { message.contains($0) } }
    /// The sensor refuses for want of authentication or encryption (ATT 0x05, 0x08, 0x0C, 0x0F), in bluetoothd's words; 0x0E where it tried
    /// to encrypt the link and nobody was there to agree.
    var asksForPairing: Bool {
        ["org.bluez.Error.NotPaired", "org.bluez.Error.NotAuthorized", "org.bluez.Error.AuthenticationRequired"].contains(name)
            || ["paired", "ncryption", "uthentication", "uthorization", "0x05", "0x08", "0x0c", "0x0e", "0x0f"].contains {
                message.contains($0)
            }
    }
}
