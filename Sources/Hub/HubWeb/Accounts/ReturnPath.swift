import Foundation
import HTTPTypes
import Hummingbird

/// Where somebody wanted to go who had to log in first: the link of a mail leads there behind the log-in, by whichever way that goes. The browser
/// keeps it, for some minutes.
enum ReturnPath {
    static let cookie = "__Host-trackme-back"
    /// Seconds.
    static let lifetime = 900
    /// Bytes of a path.
    private static let bytesMax = 1024

    /// Keeps the page that a browser opened; nil for what a script fetched, and for what is no page to come back to.
    static func kept(_ request: Request) -> Cookie? {
        guard request.method == .get, let path = request.head.path, path != "/home", path.utf8.count <= bytesMax,
            HomePages.local(path) == path, let value = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        else { return nil }
        if let name = HTTPField.Name("Sec-Fetch-Mode"), let mode = request.headers[name], mode != "navigate" { return nil }
        return Sessions.cookie(cookie, value, maxAge: lifetime)
    }

    /// The page that this browser wanted; nil for none.
    static func wanted(_ request: Request) -> String? {
        guard let path = request.cookies[cookie]?.value.removingPercentEncoding, HomePages.local(path) == path, path != "/" else {
            return nil
        }
        return path
    }

    /// Forgets it.
    static let gone = Sessions.cookie(cookie, "", maxAge: 0)
}
