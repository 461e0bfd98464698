import Sensing
import Vitals

/// One connection to a sensor as a GATT client (Core 5.3, Vol 3 Part G, 4): PDUs in, effects out. No socket and no clock.
///
/// The order is by use: MTU, then one ``Target`` after the other, each with its service, characteristics and subscription; what the
/// ``SensorRole`` needs comes first. Towards the sensor's own client this side is a server without attributes.
struct GATTSession {
    enum Effect: Equatable {
        case send(ATT.PDU)
        case event(HeartRateEvent)
        /// Something to tell, while the session goes on.
        case problem(SourceProblem)
        /// The session is over: close the link.
        case failed(LinkFailure)
    }

    /// Times in milliseconds.
    struct Limits {
        /// After 30 s without an answer a link must not be used any more (Vol 3 Part F, 3.3.3).
        var answer: Milliseconds = 30_000
        /// Without a measurement for so long the link is taken for dead.
        var silence: Milliseconds = 10_000
        var batteryInterval: Milliseconds = 600_000
    }

    /// The target of the search: a service, and its characteristic to subscribe to.
    enum Target: Equatable {
        case heartRate
        case battery
        case other(SensorCharacteristic)

        var service: ATT.UUID {
            switch self {
            case .heartRate: .heartRateService
            case .battery: .batteryService
            case .other(let characteristic): characteristic.service
            }
        }

        var characteristic: ATT.UUID {
            switch self {
            case .heartRate: .heartRateMeasurement
            case .battery: .batteryLevel
            case .other(let characteristic): characteristic.type
            }
        }

        /// In the order in which they are looked for.
        static func all(for role: SensorRole) -> [Target] {
            let measured: [Target] = [.other(.temperature), .other(.running), .other(.cycling)]
            let state: [Target] = [.battery, .other(.batteryStatus)]
            return role == .heartRate ? [.heartRate] + state + measured : measured + state
        }
    }

    /// The request that is under way; ATT allows one at a time.
    enum Step: Equatable {
        case exchangeMTU
        case findService(Target)
        case findCharacteristics(Target, service: ClosedRange<UInt16>, from: UInt16)
        case findConfiguration(Target, value: UInt16, in: ClosedRange<UInt16>)
        case subscribe(Target, configuration: UInt16, indicates: Bool)
        case readLocation(UInt16)
        case readBattery(UInt16)
        case readBatteryStatus(UInt16)
        case readTemperaturePlace(UInt16)
        case idle
        case over
    }

    static let mtu: UInt16 = 247
    private static let characteristicsMax = 64

    /// The characteristics to subscribe to, once the service is known.
    private struct Subscription {
        var target: Target
        var value: UInt16
        var descriptors: ClosedRange<UInt16>
    }

    let address: SensorAddress
    let role: SensorRole
    let limits: Limits
    private(set) var step: Step = .idle
    /// Whether a measurement has been delivered, which is when a connection counts as a success.
    private(set) var hasDelivered = false
    private var isConnected = false
    private var characteristics: [ATT.Characteristic] = []
    private var measurementHandle: UInt16?
    private var locationHandle: UInt16?
    private var temperaturePlaceHandle: UInt16?
    private var batteryHandle: UInt16?
    private var statusHandle: UInt16?
    /// By the handle of the value.
    private var others: [UInt16: SensorCharacteristic] = [:]
    private var indicating: Set<UInt16> = []
    private var subscription: Subscription?
    /// The searches that are left.
    private var targets: ArraySlice<Target>
    private var values = SensorValues()
    private var requestTime: Milliseconds = 0
    private var silentSince: Milliseconds?
    private var batteryDue: Milliseconds?
    private var unusable = 0
    private var padded = 0

    init(address: SensorAddress, role: SensorRole = .heartRate, limits: Limits = Limits()) {
        self.address = address
        self.role = role
        self.limits = limits
        targets = Target.all(for: role)[...]
    }

    /// When ``tick(at:)`` is due.
    var deadline: Milliseconds? {
        guard step != .over else { return nil }
        let answer = step == .idle ? batteryDue : requestTime + limits.answer
        return [answer, silentSince.map { $0 + limits.silence }].compactMap { $0 }.min()
    }

    mutating func start(at time: Milliseconds) -> [Effect] { ask(.exchangeMTU, at: time) }

    mutating func tick(at time: Milliseconds) -> [Effect] {
        if step == .over { return [] }
        if let silentSince, time - silentSince >= limits.silence { return fail(.silent(time - silentSince)) }
        if step != .idle {
            return time - requestTime >= limits.answer ? fail(.noAnswer(after: time - requestTime)) : []
        }
        guard let batteryDue, time >= batteryDue else { return [] }
        return batteryHandle.map { ask(.readBattery($0), at: time) } ?? readStatus(at: time)
    }

    mutating func receive(_ bytes: [UInt8], at time: Milliseconds) -> [Effect] {
        if step == .over { return [] }
        let pdu: ATT.PDU
        do throws(ATT.Malformed) { pdu = try ATT.PDU(bytes) } catch { return receive(error, at: time) }
        switch pdu {
        case .notification(let handle, let value): return take(value, of: handle, at: time)
        case .indication(let handle, let value): return [.send(.confirmation)] + take(value, of: handle, at: time)
        default: break
        }
        if let answer = EmptyServer.answer(to: pdu, mtu: Self.mtu) { return [.send(answer)] }
        return advance(pdu, at: time) ?? countUnusable("unexpected \(pdu)".prefix(80).description)
    }

    private mutating func receive(_ malformed: ATT.Malformed, at time: Milliseconds) -> [Effect] {
        if let opcode = malformed.opcode, opcode == step.answer { return giveUp(.malformed(malformed.description), at: time) }
        if let opcode = malformed.opcode, let answer = EmptyServer.answer(toMalformed: opcode) { return [.send(answer)] }
        return countUnusable(malformed.description)
    }

    // MARK: Values

    private mutating func take(_ value: [UInt8], of handle: UInt16, at time: Milliseconds) -> [Effect] {
        if handle == measurementHandle {
            do throws(HeartRateMeasurement.Malformed) {
                let measurement = try HeartRateMeasurement(value)
                hasDelivered = true
                // A sensor that remembers its subscription may notify before it is asked.
                let connected = connect(at: time)
                silentSince = time
                return connected + countPadded(measurement) + [.event(.measurement(measurement.sample(time: time)))]
            } catch { return countUnusable(error.description) }
        }
        if handle == batteryHandle { return [takeBattery(value, at: time)] }
        if let characteristic = others[handle] { return take(value, of: characteristic, at: time) }
        return countUnusable("a value of handle \(handle), which nobody asked for")
    }

    private mutating func take(_ value: [UInt8], of characteristic: SensorCharacteristic, at time: Milliseconds) -> [Effect] {
        do throws(SensorValueProblem) {
            let event = try values.take(value, of: characteristic, at: time)
            guard role == .readings, characteristic.isMeasurement else { return event.map { [.event($0)] } ?? [] }
            hasDelivered = true
            let connected = connect(at: time)
            silentSince = time
            return connected + (event.map { [.event($0)] } ?? [])
        } catch { return countUnusable(error.description) }
    }

    private func takeBattery(_ value: [UInt8], at time: Milliseconds) -> Effect {
        guard let level = BatteryLevel(value) else { return .problem(.batteryUnreadable(address)) }
        return .event(.battery(percent: level.percent, time: time))
    }

    private mutating func connect(at time: Milliseconds) -> [Effect] {
        if isConnected { return [] }
        isConnected = true
        silentSince = time
        return [.event(.connected(time: time))]
    }

    // MARK: Answers

    /// The next step after `answer`, or nil when it answers nothing that was asked.
    private mutating func advance(_ answer: ATT.PDU, at time: Milliseconds) -> [Effect]? {
        if case .error(let request, _, let code) = answer {
            return request == step.request?.opcode ? advance(refusal: code, at: time) : nil
        }
        switch (step, answer) {
        case (.exchangeMTU, .exchangeMTUResponse): return next(at: time)
        case (.findService(let target), .findByTypeValueResponse(let ranges)):
            guard let range = ranges.first, range.start > 0, range.end >= range.start else {
                return giveUp(.malformed("a service without handles"), at: time)
            }
            characteristics = []
            return ask(.findCharacteristics(target, service: range.start...range.end, from: range.start), at: time)
        case (.findCharacteristics(let target, let service, let from), .readByTypeResponse(let attributes)):
            return collect(attributes, target, service: service, from: from, at: time)
        case (.findConfiguration(let target, let value, let range), .findInformationResponse(let pairs)):
            if let pair = pairs.first(where: { $0.type == .clientCharacteristicConfiguration && range.contains($0.handle) }) {
                return ask(
                    .subscribe(target, configuration: pair.handle, indicates: indicating.contains(value)), at: time)
            }
            guard let last = pairs.last?.handle, range.contains(last) else {
                return giveUp(.malformed("descriptors outside the range asked for"), at: time)
            }
            guard last < range.upperBound else { return giveUp(missing, at: time) }
            return ask(.findConfiguration(target, value: value, in: (last + 1)...range.upperBound), at: time)
        case (.subscribe(let target, _, _), .writeResponse): return subscribed(to: target, at: time)
        case (.readLocation, .readResponse(let value)):
            let effect: Effect =
                BodySensorLocation(value).map { .event(.bodyLocation($0.rawValue, time: time)) } ?? .problem(.batteryUnreadable(address))
            return [effect] + next(at: time)
        case (.readTemperaturePlace, .readResponse(let value)):
            values.place = value.count == 1 ? TemperaturePlace(rawValue: value[0]) : nil
            return next(at: time)
        case (.readBattery, .readResponse(let value)):
            return [takeBattery(value, at: time)] + afterReading(at: time)
        case (.readBatteryStatus, .readResponse(let value)):
            return take(value, of: .batteryStatus, at: time) + afterReading(at: time)
        default: return nil
        }
    }

    private mutating func advance(refusal code: ATT.ErrorCode, at time: Milliseconds) -> [Effect] {
        switch step {
        // A server need not know the exchange; 23 bytes stay then (Vol 3 Part F, 3.4.2).
        case .exchangeMTU: return next(at: time)
        case .findService where code == .attributeNotFound: return giveUp(missing, at: time)
        case .findCharacteristics(let target, let service, _) where code == .attributeNotFound:
            return choose(target, service: service, at: time)
        case .findConfiguration where code == .attributeNotFound: return giveUp(missing, at: time)
        case .subscribe(.heartRate, _, _) where code.asksForPairing: return fail(.needsPairing(code))
        case .subscribe(.other(let characteristic), _, _)
        where code.asksForPairing && role == .readings && characteristic.isMeasurement:
            return fail(.needsPairing(code))
        default: return giveUp(.refused(what: step.name, code), at: time)
        }
    }

    private mutating func collect(
        _ attributes: [ATT.Attribute], _ target: Target, service: ClosedRange<UInt16>, from: UInt16, at time: Milliseconds
    ) -> [Effect] {
        var next = from
        for attribute in attributes {
            // Handles that do not rise would keep the discovery going for ever.
            guard attribute.handle >= next, attribute.handle <= service.upperBound,
                let characteristic = ATT.Characteristic(declaration: attribute), characteristics.count < Self.characteristicsMax
            else { return giveUp(.malformed("a list of characteristics out of order"), at: time) }
            characteristics.append(characteristic)
            if attribute.handle == service.upperBound { return choose(target, service: service, at: time) }
            next = attribute.handle + 1
        }
        guard next > from else { return giveUp(.malformed("an empty list of characteristics"), at: time) }
        return ask(.findCharacteristics(target, service: service, from: next), at: time)
    }

    /// All characteristics of a service are known: goes on with the one that matters.
    private mutating func choose(_ target: Target, service: ClosedRange<UInt16>, at time: Milliseconds) -> [Effect] {
        let index = characteristics.firstIndex { $0.type == target.characteristic && $0.hasValue(in: service) }
        guard let index else { return giveUp(missing, at: time) }
        let value = characteristics[index].valueHandle, properties = characteristics[index].properties
        let end = index + 1 < characteristics.count ? characteristics[index + 1].handle - 1 : service.upperBound
        subscription = nil
        if !properties.isDisjoint(with: [.notify, .indicate]), value < end {
            subscription = Subscription(target: target, value: value, descriptors: (value + 1)...end)
        }
        if !properties.contains(.notify) { indicating.insert(value) }
        func handle(of type: ATT.UUID) -> UInt16? {
            characteristics.first { $0.type == type && $0.hasValue(in: service) }?.valueHandle
        }
        switch target {
        case .heartRate:
            locationHandle = handle(of: .bodySensorLocation)
            measurementHandle = value
            return subscription == nil || !properties.contains(.notify) ? fail(.noHeartRate) : subscribe(at: time)
        case .battery:
            batteryHandle = value
            return ask(.readBattery(value), at: time)
        case .other(.batteryStatus):
            (statusHandle, others[value]) = (value, .batteryStatus)
            return ask(.readBatteryStatus(value), at: time)
        case .other(let characteristic):
            others[value] = characteristic
            if characteristic == .temperature { temperaturePlaceHandle = handle(of: .temperatureType) }
            return subscribe(at: time)
        }
    }

    /// The sensor has not what its role needs.
    private var missing: LinkFailure { role == .heartRate ? .noHeartRate : .noReadings }

    // MARK: One target after the other

    private mutating func subscribe(at time: Milliseconds) -> [Effect] {
        guard let subscription else { return next(at: time) }
        self.subscription = nil
        return ask(.findConfiguration(subscription.target, value: subscription.value, in: subscription.descriptors), at: time)
    }

    private mutating func subscribed(to target: Target, at time: Milliseconds) -> [Effect] {
        switch target {
        case .heartRate: return connect(at: time) + (locationHandle.map { ask(.readLocation($0), at: time) } ?? next(at: time))
        case .battery, .other(.batteryStatus): return next(at: time)
        case .other(let characteristic):
            let connected = role == .readings ? connect(at: time) : []
            guard characteristic == .temperature, let place = temperaturePlaceHandle else { return connected + next(at: time) }
            return connected + ask(.readTemperaturePlace(place), at: time)
        }
    }

    /// After a battery was read: for the first time there is a subscription to be made.
    private mutating func afterReading(at time: Milliseconds) -> [Effect] {
        if subscription != nil || !targets.isEmpty { return subscribe(at: time) }
        if case .readBattery = step { return readStatus(at: time) }
        return rest(at: time)
    }

    private mutating func readStatus(at time: Milliseconds) -> [Effect] {
        statusHandle.map { ask(.readBatteryStatus($0), at: time) } ?? rest(at: time)
    }

    private mutating func next(at time: Milliseconds) -> [Effect] {
        if role == .readings, targets.first == .battery, !isConnected { return fail(.noReadings) }
        guard let target = targets.popFirst() else { return rest(at: time) }
        return ask(.findService(target), at: time)
    }

    private mutating func rest(at time: Milliseconds) -> [Effect] {
        step = .idle
        batteryDue = batteryHandle == nil && statusHandle == nil ? nil : time + limits.batteryInterval
        return []
    }

    /// A step cannot be done: the end where the role needs it, the next one otherwise.
    private mutating func giveUp(_ failure: LinkFailure, at time: Milliseconds) -> [Effect] {
        switch step {
        case .findService(.heartRate), .findCharacteristics(.heartRate, _, _), .findConfiguration(.heartRate, _, _),
            .subscribe(.heartRate, _, _), .exchangeMTU:
            return fail(failure)
        case .readBattery, .readBatteryStatus: return afterReading(at: time)
        case .findService, .findCharacteristics, .findConfiguration, .subscribe, .readLocation, .readTemperaturePlace: return next(at: time)
        case .idle, .over: return []
        }
    }

    private mutating func ask(_ next: Step, at time: Milliseconds) -> [Effect] {
        step = next
        requestTime = time
        return next.request.map { [.send($0.pdu)] } ?? []
    }

    private mutating func fail(_ failure: LinkFailure) -> [Effect] {
        step = .over
        return [.failed(failure)]
    }

    private mutating func countPadded(_ measurement: HeartRateMeasurement) -> [Effect] {
        guard measurement.trailingBytes > 0 else { return [] }
        padded += 1
        return padded & (padded - 1) == 0 ? [.problem(.padded(measurements: padded, address))] : []
    }

    /// Told at the first and then at every doubling.
    private mutating func countUnusable(_ reason: String) -> [Effect] {
        unusable += 1
        return unusable & (unusable - 1) == 0 ? [.problem(.unreadable(measurements: unusable, last: reason, address))] : []
    }
}
