import Testing

@testable import BlueZ

struct SensorAddressTests {
    @Test(
        "EDGE-2: an address is read with and without its kind",
        arguments: [
            ("C4:01:02:03:04:05", "C4:01:02:03:04:05/random"), ("a0:9e:1a:00:ff:05", "A0:9E:1A:00:FF:05/public"),
            ("C4:01:02:03:04:05/public", "C4:01:02:03:04:05/public"), ("00:00:00:00:00:00/random", "00:00:00:00:00:00/random"),
        ])
    func reads(text: String, description: String) {
        #expect(SensorAddress(text)?.description == description)
    }

    @Test(
        "EDGE-2: anything else is no address",
        arguments: [
            "", "/", "C4:01:02:03:04", "C4:01:02:03:04:05:06", "C4:01:02:03:04:5", "C4:01:02:03:04:+5", "G4:01:02:03:04:05",
            "C4:01:02:03:04:05/", "C4:01:02:03:04:05/static", "C4:01:02:03:04:05/random/x", "C4-01-02-03-04-05", "C4:01:02:03:04:0٥",
        ])
    func refuses(text: String) {
        #expect(SensorAddress(text) == nil)
    }
}
