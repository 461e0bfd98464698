internal import Vitals

/// The frame around a resource.
struct FHIRFrame: Sendable {
    enum Place: Sendable {
        case collection, search
        /// When it was received, UTC.
        case history(received: Milliseconds)
        /// Nothing around it, and no other but this one.
        case only(time: Milliseconds, ordinal: Int)
    }

    var place: Place
    private(set) var isFirst = true
    private var utc = UTCText()

    init(place: Place) { self.place = place }

    func wants(time: Milliseconds, ordinal: Int) -> Bool {
        guard case .only(let wantedTime, let wantedOrdinal) = place else { return true }
        return time == wantedTime && ordinal == wantedOrdinal
    }

    /// Begins an entry whose address `address` appends.
    mutating func open(_ buffer: inout [UInt8], address: (inout [UInt8]) -> Void) {
        if case .only = place { return }
        openHint(&buffer)
        buffer.append("\"fullUrl\":\"")
        let start = buffer.count
        address(&buffer)
        if case .history(let received) = place {
            // The last two parts of the address: it is as if it had been put there (bdl-3, bdl-4).
            let slashes = buffer[start...].indices.filter { buffer[$0] == UInt8(ascii: "/") }
            let relative = Array(buffer[((slashes.dropLast().last ?? start) + 1)...])
            buffer.append("\",\"request\":{\"method\":\"PUT\",\"url\":\"")
            buffer.append(contentsOf: relative)
            buffer.append("\"},\"response\":{\"status\":\"200\",\"lastModified\":\"")
            utc.append(received, to: &buffer)
            buffer.append("\"},\"resource\":")
        } else {
            buffer.append("\",\"resource\":")
        }
    }

    /// Begins an entry without a resource.
    mutating func openHint(_ buffer: inout [UInt8]) {
        buffer.append(isFirst ? ",\"entry\":[\n{" : ",\n{")
        isFirst = false
    }

    func close(_ buffer: inout [UInt8]) {
        switch place {
        case .collection, .history: buffer.append(UInt8(ascii: "}"))
        case .search: buffer.append(",\"search\":{\"mode\":\"match\"}}")
        case .only: return
        }
    }
}
