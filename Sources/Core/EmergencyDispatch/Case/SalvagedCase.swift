import Distress
import Vitals

/// The readable part of a stored case where the rest is of another version.
package struct SalvagedCase: Decodable {
    package let item: SOSCase

    private enum CodingKeys: String, CodingKey {
        case alarm, isTest, opened, ended, outcome, owner, ownerName, contacts, isConsented, links
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys) -> Value? { try? container.decode(Value.self, forKey: key) }
        let alarm = try container.decode(Alarm.self, forKey: .alarm)
        var item = SOSCase(alarm, isTest: read(.isTest) ?? alarm.isTest, opened: read(.opened) ?? alarm.raisedAt)
        (item.ended, item.outcome, item.owner, item.ownerName) = (read(.ended), read(.outcome), read(.owner), read(.ownerName))
        (item.contacts, item.isConsented, item.links) = (read(.contacts), read(.isConsented), read(.links) ?? [])
        self.item = item
    }
}
