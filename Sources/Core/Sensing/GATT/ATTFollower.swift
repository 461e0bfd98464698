import Vitals

/// The handles of one server's readings. 0: not known (no attribute has that handle).
struct HeartRateHandles: Sendable, Hashable {
    var measurement: UInt16 = 0
    var location: UInt16 = 0
    var battery: UInt16 = 0
    var temperaturePlace: UInt16 = 0
    private var others: [SensorCharacteristic: UInt16] = [:]

    subscript(characteristic: SensorCharacteristic) -> UInt16 {
        get { others[characteristic] ?? 0 }
        set { others[characteristic] = newValue }
    }

    /// Which one has that handle, beside those of the heart rate.
    func characteristic(at handle: UInt16) -> SensorCharacteristic? {
        handle == 0 ? nil : others.first { $0.value == handle }?.key
    }

    /// Something of a person is measured by this server.
    var tellsReadings: Bool { measurement != 0 || SensorCharacteristic.allCases.contains { $0.isMeasurement && self[$0] != 0 } }
}

/// One side's attributes, as learned from a connection's traffic.
struct ATTServer: Sendable {
    /// The client's last request: the answer makes sense only beside it. One request at a time (Core 5.3, Vol 3 Part F, 3.3.2).
    enum Request: Sendable {
        case readByType(UInt16?)
        case read(UInt16)
        case other
    }
    var pending = Request.other
    var handles = HeartRateHandles()
    /// From an earlier connection to the same address.
    var remembered: HeartRateHandles?
    /// Value handles of other characteristics, at most ``othersMax``.
    var others: Set<UInt16> = []
    static let othersMax = 512
}

/// Follows ATT in a capture: learns handles from discovery and turns notifications and reads into events.
struct ATTFollower: Sendable {
    let options: BluetoothCaptureReader.Options
    var report = CaptureReport()
    var survey = HandleSurvey()
    /// By address: clients that know a sensor do not discover it again.
    private var remembered: [UInt64: HeartRateHandles] = [:]
    /// Behaviour that single values do not show, by sensor: a thermometer ends its link after each measurement.
    private var values: [UInt64: SensorValues] = [:]
    private static let rememberedMax = 64
    private var isClockWrong = false

    init(options: BluetoothCaptureReader.Options) { self.options = options }

    func known(_ address: UInt64) -> HeartRateHandles? { remembered[address] }

    mutating func handle(
        _ pdu: RawSpan, on link: inout LinkTable.Link, _ direction: PacketDecoder.Direction, _ place: PacketDecoder.Place,
        _ emit: (CaptureEvent) -> Void
    ) {
        guard pdu.byteCount >= 1 else { return report.skip(.malformedATT) }
        // The server of an answer or a notification is who sent it; of a request, the other side. Unknown directions share one server.
        let sender = direction == .sent ? 0 : 1, receiver = direction == .received ? 0 : 1
        switch pdu.byte(at: 0) {
        case 0x1B, 0x1D:
            guard pdu.byteCount >= 3 else { return report.skip(.malformedATT) }
            let handle = pdu.littleEndian16(at: 1)
            notified(pdu.extracting(3..<pdu.byteCount), handle: handle, on: &link, server: sender, place, emit)
        case 0x23: multiple(pdu, on: &link, server: sender, place, emit)
        case 0x08 where pdu.byteCount == 7:
            link.servers[receiver].pending = .readByType(pdu.littleEndian16(at: 5))
            report.skip(.otherATT)
        case 0x08, 0x04, 0x06, 0x10:
            link.servers[receiver].pending = pdu.byte(at: 0) == 0x08 ? .readByType(nil) : .other
            report.skip(.otherATT)
        case 0x0A where pdu.byteCount == 3:
            link.servers[receiver].pending = .read(pdu.littleEndian16(at: 1))
            report.skip(.otherATT)
        case 0x05, 0x09, 0x0B: answered(pdu, on: &link, server: sender, place, emit)
        case 0x01:
            link.servers[sender].pending = .other
            report.skip(.otherATT)
        default: report.skip(.otherATT)
        }
    }

    /// Handle Value Notification of several values (Vol 3 Part F, 3.4.7.4): handle, length, value each.
    private mutating func multiple(
        _ pdu: RawSpan, on link: inout LinkTable.Link, server: Int, _ place: PacketDecoder.Place, _ emit: (CaptureEvent) -> Void
    ) {
        var position = 1
        while position < pdu.byteCount {
            guard position + 4 <= pdu.byteCount else { return report.skip(.malformedATT) }
            let end = position + 4 + Int(pdu.littleEndian16(at: position + 2))
            guard end <= pdu.byteCount else { return report.skip(.malformedATT) }
            let handle = pdu.littleEndian16(at: position)
            notified(pdu.extracting((position + 4)..<end), handle: handle, on: &link, server: server, place, emit)
            position = end
        }
    }

    private mutating func notified(
        _ value: RawSpan, handle: UInt16, on link: inout LinkTable.Link, server: Int, _ place: PacketDecoder.Place,
        _ emit: (CaptureEvent) -> Void
    ) {
        report.notifications += 1
        if handle == link.servers[server].handles.measurement, handle != 0 {
            return measurement(value, on: &link, place, emit)
        }
        if link.servers[server].others.contains(handle) { return report.skip(.otherCharacteristic) }
        if reading(value, handle: handle, of: link.servers[server].handles, on: link, place, emit) { return }
        guard link.servers[server].handles.measurement == 0 else { return report.skip(.unknownHandle) }
        if let known = link.servers[server].remembered,
            handle == known.measurement || handle == known.battery || known.characteristic(at: handle) != nil
        {
            link.servers[server].handles = known
            report.warn("a connection without discovery: handles taken from an earlier connection to the same sensor")
            return notified(again: value, handle: handle, on: &link, server: server, place, emit)
        }
        if let given = options.handle {
            guard handle == given else { return report.skip(.unknownHandle) }
            explain(on: &link) { "a connection without discovery: handle \(Self.hex(handle)) as given" }
            return measurement(value, on: &link, place, emit)
        }
        survey.note(handle: handle, value: value)
        guard let guess = options.guess, guess.handle == handle else { return report.skip(.unknownHandle) }
        explain(on: &link) {
            "a connection without discovery: handle \(Self.hex(handle)) is GUESSED to be heart rate,"
                + " by \(guess.notifications) plausible values"
        }
        measurement(value, on: &link, place, emit)
    }

    /// Once a connection, not once a notification.
    private mutating func explain(on link: inout LinkTable.Link, _ text: () -> String) {
        guard !link.isHandleExplained else { return }
        link.isHandleExplained = true
        report.warn(text())
    }

    private mutating func notified(
        again value: RawSpan, handle: UInt16, on link: inout LinkTable.Link, server: Int, _ place: PacketDecoder.Place,
        _ emit: (CaptureEvent) -> Void
    ) {
        if handle == link.servers[server].handles.measurement { return measurement(value, on: &link, place, emit) }
        _ = reading(value, handle: handle, of: link.servers[server].handles, on: link, place, emit)
    }

    private mutating func measurement(
        _ value: RawSpan, on link: inout LinkTable.Link, _ place: PacketDecoder.Place, _ emit: (CaptureEvent) -> Void
    ) {
        do throws(HeartRateMeasurement.Malformed) {
            let measurement = try HeartRateMeasurement(value)
            let sample = measurement.sample(time: place.time)
            if measurement.trailingBytes > 0 { report.skip(.trailingBytes) }
            if link.isSuspended {
                link.isSuspended = false
                report.warn("a connection went on after its adapter was reset: its handles were kept")
            }
            if !link.isAnnounced {
                link.isAnnounced = true
                emit(CaptureEvent(event: .connected(time: place.time), endOffset: place.endOffset))
            }
            report.measurements += 1
            emit(CaptureEvent(event: .measurement(sample), endOffset: place.endOffset))
        } catch {
            report.skip(CaptureSkip(error))
        }
    }

    /// Everything but heart rates, notified, indicated or read; false when the handle is of nothing that is known.
    private mutating func reading(
        _ value: RawSpan, handle: UInt16, of handles: HeartRateHandles, on link: LinkTable.Link, _ place: PacketDecoder.Place,
        _ emit: (CaptureEvent) -> Void
    ) -> Bool {
        if let characteristic = handles.characteristic(at: handle) {
            take(value.bytes, of: characteristic, from: link.sensor, place, emit)
            return true
        }
        if handle != 0, handle == handles.temperaturePlace {
            takeTemperaturePlace(value.bytes, from: link.sensor)
            return true
        }
        guard handle != 0, handle == handles.battery || handle == handles.location else { return false }
        let bytes = value.bytes
        if handle == handles.battery {
            guard let level = BatteryLevel(bytes) else {
                report.skip(.malformedBattery)
                return true
            }
            report.batteryLevels += 1
            emit(CaptureEvent(event: .battery(percent: level.percent, time: place.time), endOffset: place.endOffset))
        } else {
            guard let location = BodySensorLocation(bytes) else {
                report.skip(.malformedLocation)
                return true
            }
            report.bodyLocations += 1
            emit(CaptureEvent(event: .bodyLocation(location.rawValue, time: place.time), endOffset: place.endOffset))
        }
        return true
    }

    private mutating func take(
        _ bytes: [UInt8], of characteristic: SensorCharacteristic, from sensor: UInt64, _ place: PacketDecoder.Place,
        _ emit: (CaptureEvent) -> Void
    ) {
        do throws(SensorValueProblem) {
            guard
                let event = try change(
                    sensor,
                    { values throws(SensorValueProblem) in
                        try values.take(bytes, of: characteristic, at: place.time)
                    })
            else { return }
            report.note(event)
            emit(CaptureEvent(event: event, endOffset: place.endOffset))
        } catch { report.skip(error) }
    }

    /// Of more sensors than any capture holds, all that are too many are one.
    private mutating func change<Result>(
        _ sensor: UInt64, _ body: (inout SensorValues) throws(SensorValueProblem) -> Result
    ) throws(SensorValueProblem) -> Result {
        let key = values[sensor] != nil || values.count < Self.rememberedMax ? sensor : .max
        return try body(&values[key, default: SensorValues()])
    }

    private mutating func takeTemperaturePlace(_ bytes: [UInt8], from sensor: UInt64) {
        guard bytes.count == 1, let place = TemperaturePlace(rawValue: bytes[0]) else { return report.skip(.malformedTemperaturePlace) }
        values[sensor, default: SensorValues()].place = place
    }

    func lost(because reason: String, _ place: PacketDecoder.Place, _ emit: (CaptureEvent) -> Void) {
        let problem = SourceProblem(
            what: "The recorded sensor's link ended: \(reason)", advice: "Nothing to do: the recording goes on.", retries: true)
        emit(CaptureEvent(event: .lost(problem, time: place.time), endOffset: place.endOffset))
    }

    static func hex(_ handle: UInt16) -> String { "0x" + String(handle, radix: 16) }
}

// MARK: Discovery
extension ATTFollower {
    /// Find Information, Read By Type and Read Responses.
    private mutating func answered(
        _ pdu: RawSpan, on link: inout LinkTable.Link, server: Int, _ place: PacketDecoder.Place, _ emit: (CaptureEvent) -> Void
    ) {
        let request = link.servers[server].pending
        link.servers[server].pending = .other
        let bytes = pdu.bytes
        guard let decoded = try? ATT.PDU(bytes) else { return report.skip(.malformedATT) }
        switch (decoded, request) {
        case (.findInformationResponse(let pairs), _):
            for pair in pairs { learn(pair.type, at: pair.handle, on: &link, server: server) }
        case (.readByTypeResponse(let attributes), .readByType(0x2803)):
            for attribute in attributes {
                guard let characteristic = ATT.Characteristic(declaration: attribute) else {
                    report.skip(.malformedATT)
                    continue
                }
                learn(characteristic.type, at: characteristic.valueHandle, on: &link, server: server)
            }
        case (.readByTypeResponse(let attributes), .readByType(let type?)):
            for attribute in attributes {
                learn(ATT.UUID(type), at: attribute.handle, on: &link, server: server)
                let copy = attribute.value
                _ = reading(copy.span.bytes, handle: attribute.handle, of: link.servers[server].handles, on: link, place, emit)
            }
        case (.readResponse(let value), .read(let handle)):
            let handles = link.servers[server].handles
            if reading(value.span.bytes, handle: handle, of: handles, on: link, place, emit) { return }
        default: break
        }
        report.skip(.otherATT)
    }

    /// A handle of another type is remembered as such: it is never guessed to be heart rate.
    private mutating func learn(
        _ type: ATT.UUID, at handle: UInt16, on link: inout LinkTable.Link, server: Int
    ) {
        guard handle != 0 else { return }
        var handles = link.servers[server].handles
        switch type {
        case .heartRateMeasurement: handles.measurement = handle
        case .bodySensorLocation: handles.location = handle
        case .batteryLevel: handles.battery = handle
        case .temperatureType: handles.temperaturePlace = handle
        default:
            if let characteristic = SensorCharacteristic(type) {
                handles[characteristic] = handle
                break
            }
            if link.servers[server].others.count < ATTServer.othersMax { link.servers[server].others.insert(handle) }
            return
        }
        link.servers[server].others.remove(handle)
        link.servers[server].handles = handles
        guard server == 1, let address = link.address, handles.tellsReadings else { return }
        if remembered[address] != nil || remembered.count < Self.rememberedMax { remembered[address] = handles }
    }

    /// Times before 2000 or after 2100 are no times of a recording with sensors: said once, and kept as recorded.
    mutating func checkClock(_ time: Milliseconds) {
        if !isClockWrong, time < 946_684_800_000 || time > 4_102_444_800_000 {
            isClockWrong = true
            report.warn("the recorder's clock was wrong: packets are dated before 2000 or after 2100")
        }
    }

    /// The report's last words on notifications that nobody could explain.
    mutating func finish() {
        guard options.guess == nil, options.handle == nil, report.measurements == 0, let first = survey.handles.first else { return }
        let list = survey.handles.prefix(8).map { "\(Self.hex($0.handle)) (\($0.notifications))" }.joined(separator: ", ")
        let hint = survey.guess.map { " \(Self.hex($0.handle)) looks like heart rate." } ?? ""
        report.warn(
            "notifications without discovery, by handle: \(list).\(hint)"
                + " Give the handle if one of them is heart rate, e.g. \(Self.hex(first.handle))")
    }
}
