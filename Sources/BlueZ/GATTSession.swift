import Sensing
import Vitals

/// One connection to a heart-rate sensor as a GATT client (Core 5.3, Vol 3 Part G, 4): PDUs in, effects out. No socket and no clock.
///
/// The order is by use: MTU, heart-rate service, its characteristics, subscription; only then body location and battery. Towards
/// the sensor's own client this side is a server without attributes.
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

    /// What is being looked for: a service, and its characteristic to subscribe to.
    enum Target: Equatable {
        case heartRate
        case battery

        var service: [UInt8] { self == .heartRate ? [0x0D, 0x18] : [0x0F, 0x18] }
        var characteristic: ATT.UUID { self == .heartRate ? .heartRateMeasurement : .batteryLevel }
    }

    /// The request that is under way; ATT allows one at a time.
    enum Step: Equatable {
        case exchangeMTU
        case findService(Target)
        case findCharacteristics(Target, service: ClosedRange<UInt16>, from: UInt16)
        case findConfiguration(Target, value: UInt16, in: ClosedRange<UInt16>)
        case subscribe(Target, value: UInt16, configuration: UInt16)
        case readLocation(UInt16)
        case readBattery(UInt16)
        case idle
        case over
    }

    static let mtu: UInt16 = 247
    private static let characteristicsMax = 64

    let address: SensorAddress
    let limits: Limits
    private(set) var step: Step = .idle
    /// Whether a measurement has been delivered, which is when a connection counts as a success.
    private(set) var hasDelivered = false
    private var isConnected = false
    private var characteristics: [ATT.Characteristic] = []
    private var measurementHandle: UInt16?
    private var locationHandle: UInt16?
    private var battery: (handle: UInt16, end: UInt16, canNotify: Bool)?
    private var requestTime: Milliseconds = 0
    private var silentSince: Milliseconds?
    private var batteryDue: Milliseconds?
    private var unusable = 0
    private var padded = 0

    init(address: SensorAddress, limits: Limits = Limits()) {
        self.address = address
        self.limits = limits
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
        guard let battery, let batteryDue, time >= batteryDue else { return [] }
        return ask(.readBattery(battery.handle), at: time)
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
        if let battery, handle == battery.handle { return [takeBattery(value, at: time)] }
        return countUnusable("a value of handle \(handle), which nobody asked for")
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
        case (.exchangeMTU, .exchangeMTUResponse):
            return ask(.findService(.heartRate), at: time)
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
                return ask(.subscribe(target, value: value, configuration: pair.handle), at: time)
            }
            guard let last = pairs.last?.handle, range.contains(last) else {
                return giveUp(.malformed("descriptors outside the range asked for"), at: time)
            }
            guard last < range.upperBound else { return giveUp(.noHeartRate, at: time) }
            return ask(.findConfiguration(target, value: value, in: (last + 1)...range.upperBound), at: time)
        case (.subscribe(.heartRate, _, _), .writeResponse):
            return connect(at: time) + askOptional(at: time)
        case (.subscribe(.battery, _, _), .writeResponse): return rest(at: time)
        case (.readLocation, .readResponse(let value)):
            let effect: Effect =
                BodySensorLocation(value).map { .event(.bodyLocation($0.rawValue, time: time)) } ?? .problem(.batteryUnreadable(address))
            return [effect] + ask(.findService(.battery), at: time)
        case (.readBattery, .readResponse(let value)):
            return [takeBattery(value, at: time)] + afterBattery(at: time)
        default: return nil
        }
    }

    private mutating func advance(refusal code: ATT.ErrorCode, at time: Milliseconds) -> [Effect] {
        switch step {
        // A server need not know the exchange; 23 bytes stay then (Vol 3 Part F, 3.4.2).
        case .exchangeMTU: return ask(.findService(.heartRate), at: time)
        case .findService(.heartRate) where code == .attributeNotFound: return fail(.noHeartRate)
        case .findCharacteristics(let target, let service, _) where code == .attributeNotFound:
            return choose(target, service: service, at: time)
        case .findConfiguration where code == .attributeNotFound: return giveUp(.noHeartRate, at: time)
        case .subscribe(.heartRate, _, _) where code.asksForPairing: return fail(.needsPairing(code))
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
        guard let index else { return giveUp(.noHeartRate, at: time) }
        let value = characteristics[index].valueHandle
        let end = index + 1 < characteristics.count ? characteristics[index + 1].handle - 1 : service.upperBound
        let canNotify = characteristics[index].properties.contains(.notify)
        switch target {
        case .heartRate:
            locationHandle = characteristics.first { $0.type == .bodySensorLocation && $0.hasValue(in: service) }?.valueHandle
            measurementHandle = value
            guard canNotify, value < end else { return fail(.noHeartRate) }
            return ask(.findConfiguration(.heartRate, value: value, in: (value + 1)...end), at: time)
        case .battery:
            battery = (value, end, canNotify && value < end)
            return ask(.readBattery(value), at: time)
        }
    }

    // MARK: What is good to have

    private mutating func askOptional(at time: Milliseconds) -> [Effect] {
        ask(locationHandle.map(Step.readLocation) ?? .findService(.battery), at: time)
    }

    private mutating func afterBattery(at time: Milliseconds) -> [Effect] {
        guard let known = battery, known.canNotify else { return rest(at: time) }
        battery?.canNotify = false
        return ask(.findConfiguration(.battery, value: known.handle, in: (known.handle + 1)...known.end), at: time)
    }

    private mutating func rest(at time: Milliseconds) -> [Effect] {
        step = .idle
        batteryDue = battery == nil ? nil : time + limits.batteryInterval
        return []
    }

    /// A step cannot be done: the end where the heart rate needs it, the next one otherwise.
    private mutating func giveUp(_ failure: LinkFailure, at time: Milliseconds) -> [Effect] {
        switch step {
        case .readLocation: return ask(.findService(.battery), at: time)
        case .readBattery: return afterBattery(at: time)
        case .findService(.battery), .findCharacteristics(.battery, _, _), .findConfiguration(.battery, _, _), .subscribe(.battery, _, _):
            return rest(at: time)
        default: return fail(failure)
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
