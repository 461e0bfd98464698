import Sensing
import Testing
import Vitals

@Suite struct CaptureFollowingTests {
    typealias Building = CaptureBuilding
    static let values: [[UInt8]] = (0..<12).map { [0x00, 70 + UInt8($0)] }

    private func packets(_ list: [(kind: UInt8, isSent: Bool, bytes: [UInt8])]) -> [Building.Packet] {
        list.enumerated().map {
            Building.Packet(kind: $1.kind, isSent: $1.isSent, bytes: $1.bytes, microseconds: Building.start + Int64($0) * 1_000_000)
        }
    }

    @Test("EDGE-10: fragments of several connections are put together")
    func fragments() throws {
        let long = Building.l2cap(Building.notification([0x10, 80] + [UInt8](repeating: 3, count: 40)))
        var list = Building.session([]).map { ($0.kind, $0.isSent, $0.bytes) }
        list.append((2, false, Building.acl(Array(long[..<3]))))
        list.append((2, false, Building.acl([7, 7], connection: 0x41)))
        list.append((2, false, Building.acl(Array(long[3..<20]), isStart: false)))
        list.append((2, false, Building.acl(Array(long[20...]), isStart: false)))
        // An end without a beginning, and a beginning that is overtaken by the next one.
        list.append((2, false, Building.acl([1, 2], isStart: false)))
        list.append((2, false, Building.acl(Array(long[..<9]))))
        list.append((2, false, Building.acl(Building.l2cap(Building.notification([0x00, 81])))))
        let (events, reader) = try read(Building.btsnoop(packets(list)))
        #expect(rates(events) == [80, 81])
        #expect(reader.report[.orphanFragment] == 1)
        #expect(reader.report[.fragmentMissing] == 1)
    }

    @Test("EDGE-10: without discovery nothing is taken for heart rate unless a handle is given")
    func givenHandle() throws {
        let file = Building.btsnoop(Building.session(Self.values, discovers: false))
        #expect(try rates(read(file).events).isEmpty)
        let (events, reader) = try read(file, .init(handle: 0x10))
        #expect(rates(events).count == 12)
        #expect(reader.report.description.contains("0x10 as given"))
        #expect(try rates(read(file, .init(handle: 0x11)).events).isEmpty)
    }

    @Test("EDGE-10: a guess needs a second reading, is announced, and is the same for all chunks")
    func guess() throws {
        let file = Building.btsnoop(Building.session(Self.values, discovers: false))
        let first = try read(file)
        #expect(first.events.isEmpty)
        let guess = try #require(first.reader.guess)
        #expect(guess.handle == 0x10 && guess.notifications == 12)
        let (events, reader) = try read(file, .init(guess: guess))
        #expect(rates(events) == Self.values.map { UInt16($0[1]) })
        #expect(reader.report.description.contains("GUESSED"))
        for chunk in [1, 13] {
            #expect(try read(file, chunk: chunk).reader.guess == guess)
            #expect(try read(file, .init(guess: guess), chunk: chunk).events == events)
        }
    }

    @Test(
        "EDGE-10: no guess from few, implausible, or two kinds of values",
        arguments: [
            Array(values[..<9]), values + [[0x00]], values + [[0x00, 20]], values + [[0x20, 80]], values + [[0x10, 80, 1, 0]],
            values + [[0x00, 200]], [[UInt8]](repeating: [0x04, 0], count: 40),
        ])
    func noGuess(values: [[UInt8]]) throws {
        #expect(try read(Building.btsnoop(Building.session(values, discovers: false))).reader.guess == nil)
    }

    @Test("EDGE-10: no guess between two handles that both fit")
    func ambiguous() throws {
        var list: [(UInt8, Bool, [UInt8])] = []
        for value in Self.values {
            for handle: UInt16 in [0x10, 0x20] {
                list.append((2, false, Building.acl(Building.l2cap(Building.notification(value, handle: handle)))))
            }
        }
        #expect(try read(Building.btsnoop(packets(list))).reader.guess == nil)
    }

    @Test("EDGE-10: a handle that was discovered to be something else is never guessed")
    func discoveredOther() throws {
        var list: [(UInt8, Bool, [UInt8])] = [
            (2, true, Building.acl(Building.l2cap([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28]))),
            (2, false, Building.acl(Building.l2cap([0x09, 7, 0x0F, 0, 0x10, 0x10, 0, 0xF4, 0xFF]))),
        ]
        list += Self.values.map { (2, false, Building.acl(Building.l2cap(Building.notification($0)))) }
        let (events, reader) = try read(Building.btsnoop(packets(list)))
        #expect(events.isEmpty && reader.guess == nil)
        #expect(reader.report[.otherCharacteristic] == 12)
    }

    @Test("EDGE-10: an end of the connection is told, and the handles of a reconnected sensor are remembered by its address")
    func reconnects() throws {
        var list = Building.session([[0x00, 70]]).map { ($0.kind, $0.isSent, $0.bytes) }
        let value = (UInt8(2), false, Building.acl(Building.l2cap(Building.notification([0x00, 71]))))
        list += [(4, false, Building.disconnected()), (4, false, Building.connected()), value]
        list += [(4, false, Building.disconnected()), (4, false, Building.connected(address: 0xC5)), value]
        let (events, reader) = try read(Building.btsnoop(packets(list)))
        // The sensor with another address is not the known one.
        #expect(rates(events) == [70, 71])
        let kinds = events.compactMap { event -> String? in
            switch event.event {
            case .connected: "connected"
            case .lost(let problem, _): problem.what.contains("supervision timeout") ? "lost" : nil
            default: nil
            }
        }
        #expect(kinds == ["connected", "lost", "connected", "lost"])
        #expect(reader.report.connections == 3)
        #expect(reader.report[.unknownHandle] == 1)
    }

    @Test("EDGE-10: damaged heart rates are counted by reason")
    func damagedValues() throws {
        let (events, reader) = try read(Building.btsnoop(Building.session([[], [0x00], [0x10, 1, 2], [0x00, 70]])))
        #expect(rates(events) == [70])
        #expect(reader.report[.emptyHeartRate] == 1)
        #expect(reader.report[.valueCutShort] == 1)
        #expect(reader.report[.intervalCutShort] == 1)
        #expect(reader.report.damaged == 3)
    }

    @Test("EDGE-10: link-layer captures: continuation, repetition, and an encrypted link", arguments: [true, false])
    func linkLayer(withHeader: Bool) throws {
        var sequences: [Bool: UInt8] = [:]
        var list: [(UInt8, Bool, [UInt8])] = []
        func add(_ payload: [UInt8], _ llid: UInt8, isCentral: Bool) {
            let sequence = sequences[isCentral, default: 0]
            sequences[isCentral] = sequence ^ 1
            list.append(
                (
                    2, isCentral,
                    Building.linkLayer(payload, llid: llid, sequence: sequence, isCentral: isCentral, withHeader: withHeader)
                ))
        }
        for (isSent, pdu) in Building.discovery { add(Building.l2cap(pdu), 2, isCentral: isSent) }
        let value = Building.l2cap(Building.notification([0x10, 72, 1, 3]))
        add(Array(value[..<6]), 2, isCentral: false)
        add(Array(value[6...]), 1, isCentral: false)
        if let last = list.last, withHeader { list.append(last) }
        add(Building.l2cap(Building.notification([0x00, 73])), 2, isCentral: false)
        add([0x05], 3, isCentral: false)
        add(Building.l2cap(Building.notification([0x00, 99])), 2, isCentral: false)
        // Link type 256 or 251: the bytes as they are.
        var file = Building.le32(0xA1B2_C3D4) + [2, 0, 4, 0] + Building.le32(0) + Building.le32(0) + Building.le32(65535)
        file += Building.le32(withHeader ? 256 : 251)
        for (index, packet) in list.enumerated() {
            file += Building.le32(1_767_225_600 + UInt32(index)) + Building.le32(0)
            file += Building.le32(UInt32(packet.2.count)) + Building.le32(UInt32(packet.2.count)) + packet.2
        }
        let (events, reader) = try read(file)
        #expect(rates(events) == [72, 73], "\(reader.report)")
        #expect(reader.report.encryptedConnections == 1)
        #expect(reader.report[.encrypted] == 1)
        #expect(reader.report[.retransmitted] == (withHeader ? 1 : 0))
        #expect(reader.report.description.contains("encrypted from byte"))
    }

    @Test("EDGE-10: behind packets that the sniffer missed, a reading with the same sequence number and other content is a new one")
    func missedPackets() throws {
        var file = Building.le32(0xA1B2_C3D4) + [2, 0, 4, 0] + Building.le32(0) + Building.le32(0) + Building.le32(65535)
        file += Building.le32(256)
        var second: UInt32 = 0, sequences: [Bool: UInt8] = [:]
        func add(_ payload: [UInt8], sequence: UInt8, isCentral: Bool = false, llid: UInt8 = 2) {
            let packet = Building.linkLayer(payload, llid: llid, sequence: sequence, isCentral: isCentral)
            file += Building.le32(1_767_225_600 + second) + Building.le32(0)
            file += Building.le32(UInt32(packet.count)) + Building.le32(UInt32(packet.count)) + packet
            second += 1
        }
        for (isSent, pdu) in Building.discovery {
            add(Building.l2cap(pdu), sequence: sequences[isSent, default: 0], isCentral: isSent)
            sequences[isSent] = sequences[isSent, default: 0] ^ 1
        }
        let next = sequences[false, default: 0]
        func rate(_ value: UInt8, sequence: UInt8) { add(Building.l2cap(Building.notification([0x00, value])), sequence: sequence) }
        rate(70, sequence: next)
        rate(70, sequence: next)  // sent again
        rate(71, sequence: next)  // the one before it was missed
        rate(71, sequence: next ^ 1)  // the same reading once more
        add([], sequence: next, llid: 1)
        rate(72, sequence: next)  // behind an empty packet, and a missed one
        rate(72, sequence: next)  // sent again
        let (events, reader) = try read(file)
        #expect(rates(events) == [70, 71, 71, 72], "\(reader.report)")
        #expect(reader.report[.retransmitted] == 2)
        #expect(reader.report.damaged == 0)
    }

    @Test("EDGE-10: a Nordic sniffer's packets are read")
    func nordic() throws {
        var file = Building.le32(0xA1B2_C3D4) + [2, 0, 4, 0] + Building.le32(0) + Building.le32(0) + Building.le32(65535)
        file += Building.le32(272)
        var sequences: [Bool: UInt8] = [:]
        for (isSent, pdu) in Building.discovery + [(false, Building.notification([0x00, 72]))] {
            let sequence = sequences[isSent, default: 0]
            sequences[isSent] = sequence ^ 1
            let air = Building.linkLayer(Building.l2cap(pdu), llid: 2, sequence: sequence, isCentral: isSent, withHeader: false)
            let packet = [0, UInt8(air.count + 10), 0, 3, 0, 0, 6, 10, isSent ? 3 : 1, 5, 60, 0, 0, 0, 0, 0, 0] + air
            file += Building.le32(1_767_225_600) + Building.le32(0)
            file += Building.le32(UInt32(packet.count)) + Building.le32(UInt32(packet.count)) + packet
        }
        #expect(try rates(read(file).events) == [72])
    }
}
