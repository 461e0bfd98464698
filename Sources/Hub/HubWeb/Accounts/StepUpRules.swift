import Accounts
import HTTPTypes
import HubServices
import HubStore
import Vitals

/// What asks again who somebody is, by its address. Never asked again: check-in, denying, revoking, turning AutomatedSOS on, anything on a box.
/// What has a reason of its own to ask, such as a new box, asks by ``StepUp/required(_:back:_:)``.
enum StepUpRules {
    /// For so long after a log-in, or a passkey's touch, a request is accepted without asking, milliseconds.
    static let acceptLifetime: Milliseconds = 15 * 60_000

    /// What an operator decides about.
    private static let decisions: Set = ["requests", "services", "hospitals", "groups", "organisations", "people", "alarms", "runs"]

    /// How long a proof counts for this request, milliseconds; nil when none is asked for.
    /// - Parameters:
    ///   - path: without the query.
    ///   - fields: what the form has sent; empty for what is no form.
    static func lifetime(
        _ method: HTTPRequest.Method, _ path: String, _ fields: [(String, String)], of account: StoredAccount
    ) -> Milliseconds? {
        let parts = path.split(separator: "/").map(String.init)
        guard method == .post else {
            let isDownload = parts.count == 3 && ["requests", "groups"].contains(parts[0]) && parts[2] == "download"
            return isDownload ? FactorService.provedLifetime : nil
        }
        switch (parts.first, parts.count) {
        case ("followers", 3) where parts[2] == "accept": return acceptLifetime
        case ("followers", 4) where parts[1] == "links" && parts[3] == "allow": return acceptLifetime
        case ("care", 6) where parts[1] == "person" && parts[3] == "answer" && parts[5] == "accept": return acceptLifetime
        case ("protection", 2) where ["off", "contacts", "values"].contains(parts[1]): return FactorService.provedLifetime
        case ("protection", 4) where ["contacts", "caregivers"].contains(parts[1]): return FactorService.provedLifetime
        case ("operator", 2) where parts[1] == "addresses": return FactorService.provedLifetime
        case ("operator", 4) where decisions.contains(parts[1]): return FactorService.provedLifetime
        case ("profile", 1) where changes([.phone, .residence], fields, of: account): return FactorService.provedLifetime
        default: return nil
        }
    }

    private static func changes(_ guarded: [Field], _ fields: [(String, String)], of account: StoredAccount) -> Bool {
        guarded.contains { field in fields.last { $0.0 == field.rawValue }.map { $0.1 != account[field] } ?? false }
    }
}
