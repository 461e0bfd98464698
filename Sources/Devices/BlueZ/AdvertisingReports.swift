/// Advertising reports as they come from the adapter (Core 5.3, Vol 4 Part E, 7.7.65.2 and 7.7.65.13).
enum AdvertisingReports {
    /// Where things stand in one report.
    private struct Layout {
        var addressType: Int
        var rssi: Int?
        var length: Int

        /// The signal stands behind the data.
        static let legacy = Layout(addressType: 1, rssi: nil, length: 8)
        static let extended = Layout(addressType: 2, rssi: 13, length: 23)
    }

    /// Takes an HCI packet with its type byte; what it does not understand it leaves out.
    static func take(_ packet: some Collection<UInt8>, _ devices: inout [SensorAddress: HeardDevice]) {
        let bytes = Array(packet)
        guard bytes.count > 5, bytes[0] == 0x04, bytes[1] == 0x3E else { return }
        let layout: Layout
        switch bytes[3] {
        case 0x02: layout = .legacy
        case 0x0D: layout = .extended
        default: return
        }
        var rest = bytes[5...]
        for _ in 0..<bytes[4] {
            guard let size = take(report: Array(rest), layout, &devices) else { return }
            rest = rest.dropFirst(size)
        }
    }

    /// The size of the report; nil when it is cut.
    private static func take(report: [UInt8], _ layout: Layout, _ devices: inout [SensorAddress: HeardDevice]) -> Int? {
        guard report.count > layout.length else { return nil }
        let begin = layout.length + 1
        let end = begin + Int(report[layout.length])
        let size = layout.rssi == nil ? end + 1 : end
        guard report.count >= size else { return nil }
        let type = layout.addressType
        let text = report[(type + 1)...(type + 6)].reversed()
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
        guard let address = SensorAddress("\(text)/\(report[type] & 1 == 1 ? "random" : "public")"),
            devices[address] != nil || devices.count < SensorScanner.devicesMax
        else { return size }
        var device = devices[address] ?? HeardDevice(address: address)
        let data = AdvertisingData(report[begin..<end])
        device.name = data.name ?? device.name
        device.appearance = data.appearance ?? device.appearance
        device.hasHeartRate = device.hasHeartRate || data.hasHeartRate
        device.measures.formUnion(data.measures)
        let strength = Int(Int8(bitPattern: report[layout.rssi ?? end]))
        // 127: the adapter does not know.
        if strength != 127 { device.rssi = strength }
        devices[address] = device
        return size
    }
}
