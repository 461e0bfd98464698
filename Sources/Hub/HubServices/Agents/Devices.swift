public import Credentials
public import HubStore
public import Vitals

/// The devices of a person: phones that send without our agent (DATA-13).
public struct Devices: Sendable {
    private let devices: DeviceStore

    /// Characters of a secret: 78 bits, short enough to type into a phone.
    public static let secretLength = 16

    public init(devices: DeviceStore) { self.devices = devices }

    /// Why a device cannot be made.
    public enum Problem: Error, Sendable, Hashable {
        /// The name has 1 to 64 characters, and no control characters.
        case name
        /// The person has ``HubStore/AccountStore/devicesMax`` devices, revoked ones included.
        case tooMany
    }

    /// Makes a device.
    /// - Returns: the device, and its secret, which is shown once: the hub keeps its hash.
    public func add(
        _ name: String, _ kind: StoredDevice.Kind, of person: PersonID, now: Milliseconds
    ) throws -> (device: StoredDevice, secret: ShortCode) {
        guard StoredDevice.Kind.offered.contains(kind), (1...64).contains(name.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw Problem.name
        }
        let secret = ShortCode.random(length: Self.secretLength, using: devices.randomness)
        guard let device = try devices.addDevice(name, kind, of: person, hash: Self.hash(secret), now: now) else {
            throw Problem.tooMany
        }
        return (device, secret)
    }

    public func all(of person: PersonID) throws -> [StoredDevice] { try devices.devices(of: person) }

    /// Revokes a device: it is refused from its next request on. False when the person has no such device in use.
    public func revoke(_ device: Int64, of person: PersonID, now: Milliseconds) throws -> Bool {
        try devices.revokeDevice(device, of: person, now: now)
    }

    /// The device whose secret somebody typed into a phone, in either case and with hyphens or without; nil for a wrong one.
    func device(secret: String) throws -> StoredDevice? {
        guard let code = ShortCode(typed: secret, length: Self.secretLength) else { return nil }
        return try devices.device(hash: Self.hash(code))
    }

    private static func hash(_ secret: ShortCode) -> [UInt8] { secret.hash(purpose: "device") }
}
