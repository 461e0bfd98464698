import Foundation
import Synchronization

/// Notes each statement that is run, once, in the file that the variable `TRACKME_STATEMENTS` names, so that plans and the SQL of other engines
/// can be tried out on all of them. Without the variable nothing is noted.
enum StatementLog {
    private struct Noted: Encodable, Hashable {
        let database: String
        let sql: String
    }

    private static let path = ProcessInfo.processInfo.environment["TRACKME_STATEMENTS"]
    private static let noted = Mutex<Set<Noted>>([])

    static func note(_ sql: String, in database: String) {
        guard let path else { return }
        let statement = Noted(database: database, sql: sql)
        noted.withLock { noted in
            guard noted.insert(statement).inserted, var line = try? JSONEncoder().encode(statement) else { return }
            line.append(UInt8(ascii: "\n"))
            // One write at the end of the file, so that lines of several processes do not mix.
            let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { return }
            _ = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
            close(file)
        }
    }
}
