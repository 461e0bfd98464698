import Foundation
import HubStore

/// What a phone's program reads by its camera instead of somebody typing address and secret (DATA-13).
struct PhoneCode: TemplateModel {
    /// What to do with it.
    let text: String
    /// For whom does not see it.
    let label: String
    /// Of the picture, see ``QRCode/path``.
    let qr: String
    /// What sets the program up on the phone that shows this page; nil where it has no such address.
    var link: String?

    /// nil for what is no program of a phone, and for an address that is too long for a picture.
    init?(_ device: StoredDevice, url: String, secret: String, _ texts: Texts) {
        guard let address = Self.address(device.kind, url: url, user: String(device.row), secret: secret),
            let code = QRCode(address, .large)
        else { return nil }
        text = texts["boxes.scan_\(device.kind)"]
        (label, qr) = (texts["boxes.scanLabel"], code.path)
        link = device.kind == .ownTracks ? address : nil
    }

    private struct OwnTracksSettings: Encodable {
        let type = "configuration"
        /// HTTP.
        let mode = 3
        let url: String
        let auth = true
        let username: String, password: String

        enum CodingKeys: String, CodingKey {
            case type = "_type"
            case mode, url, auth, username, password
        }
    }

    /// OwnTracks takes its settings as JSON in an address of its own (booklet, "URL config"); Traccar Client the hub's address with `id`.
    static func address(_ kind: StoredDevice.Kind, url: String, user: String, secret: String) -> String? {
        switch kind {
        case .ownTracks:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let json = try? encoder.encode(OwnTracksSettings(url: url, username: user, password: secret)) else { return nil }
            // A plus would be read as a space.
            return "owntracks:///config?inline=" + json.base64EncodedString().replacingOccurrences(of: "+", with: "%2B")
        case .osmAnd: return "\(url)?id=\(secret)"
        case .manual, .imports, .detector: return nil
        }
    }
}
