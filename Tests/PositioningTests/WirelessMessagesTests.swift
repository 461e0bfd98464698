import Sensing
import Testing

@testable import Positioning

@Suite
struct WirelessMessagesTests {
    private func networks(_ bytes: [UInt8]) -> [VisibleNetwork] {
        Netlink.messages(in: bytes).compactMap(WirelessMessages.network)
    }

    @Test("EDGE-3: what a kernel answered about its Wi-Fi networks is read")
    func recorded() {
        #expect(Netlink.messages(in: WirelessRecording.family).map(WirelessMessages.family) == [32])
        let interfaces = Netlink.messages(in: WirelessRecording.interfaces)
        #expect(interfaces.map(\.type) == [32, 32, 32, 3])
        #expect(interfaces.map(WirelessMessages.station) == [4, nil, nil, nil])
        #expect(
            networks(WirelessRecording.networks) == [
                VisibleNetwork(address: 0x0200_0000_0000, signal: -3000, age: 20_904),
                VisibleNetwork(address: 0x0200_0000_0100, signal: -3000, age: 20_904),
            ])
    }

    @Test("EDGE-3: the questions are laid out as the kernel wants them")
    func requests() {
        let request = WirelessMessages.networksRequest(family: 32, interface: 4, sequence: 3)
        #expect(request == [28, 0, 0, 0, 32, 0, 1, 3, 3, 0, 0, 0, 0, 0, 0, 0, 32, 1, 0, 0, 8, 0, 3, 0, 4, 0, 0, 0])
        let family = WirelessMessages.familyRequest(sequence: 1)
        #expect(family.count == 32 && family[20...].starts(with: [12, 0, 2, 0] + "nl80211\0".utf8))
    }

    @Test("EDGE-3: an answer that is cut anywhere gives fewer networks, and no crash")
    func truncated() {
        let whole = networks(WirelessRecording.networks)
        for length in 0..<WirelessRecording.networks.count {
            let found = networks(Array(WirelessRecording.networks.prefix(length)))
            #expect(found == Array(whole.prefix(found.count)))
        }
        for cut in 0..<WirelessRecording.networks.count { _ = networks(Array(WirelessRecording.networks.dropFirst(cut))) }
    }

    @Test("EDGE-3: whatever lengths an answer holds, nothing outside of it is read")
    func altered() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = WirelessRecording.networks
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: .min ... .max, using: &generator)
            }
            #expect(networks(bytes).count <= 8)
            _ = Netlink.messages(in: bytes).map { (WirelessMessages.family(in: $0), WirelessMessages.station(in: $0)) }
        }
    }

    @Test("EDGE-3: this machine's networks can be asked for, or it is told why not")
    func live() throws {
        do throws(SourceProblem) {
            var networks = try VisibleNetworks()
            #expect(try networks.read().count <= VisibleNetworks.networksMax)
        } catch {
            #expect(!error.advice.isEmpty)
        }
    }
}
