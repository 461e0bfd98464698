internal import GRDB
public import Vitals

enum Setting: String {
    case token, bootID, bootCounter, hub, lastAnswer, liveStream, manualStream
    /// The numeric address at which the hub was last reached.
    case hubAddress
    /// The reason of a loss that the next seal declares.
    case pendingGap
    /// How far which damaged file was read.
    case rest
}

extension Database {
    func setting(_ name: Setting) throws -> String? {
        try String.fetchOne(self, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name.rawValue])
    }

    func set(_ name: Setting, _ value: String?) throws {
        if let value {
            try execute(
                sql: "INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                arguments: [name.rawValue, value])
        } else {
            try execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name.rawValue])
        }
    }
}

extension SampleBuffer {
    /// Counts a boot that the buffer has not seen; 1 for the first.
    public func beginBoot(_ boot: BootID) throws(BufferError) -> UInt32 {
        try write { database in
            let counter = try database.setting(.bootCounter).flatMap { UInt32($0) } ?? 0
            if try database.setting(.bootID) == boot.description { return counter }
            try database.set(.bootID, boot.description)
            // Only damage brings it to its end; then the order of boots is lost, and nothing else.
            let next = counter == .max ? counter : counter + 1
            try database.set(.bootCounter, String(next))
            return next
        }
    }

    public func token() throws(BufferError) -> String? {
        try read { try $0.setting(.token) }
    }

    /// Makes a token durable before its first use; with `newStream` everything from here on goes to new streams.
    public func store(token: String, newStream: Bool) throws(BufferError) {
        try write { database in
            try database.set(.token, token)
            guard newStream else { return }
            // The hub does not know our last token: a copy of this box used it, or the hub was restored from a backup. In case it is the
            // latter, each stream asks what is missing there.
            _ = try database.probeStreams(besides: [])
            try database.beginNewStreams()
        }
    }

    /// The numeric address at which the hub was last reached; nil before that.
    public func hubAddress() throws(BufferError) -> String? {
        try read { try $0.setting(.hubAddress) }
    }

    public func store(hubAddress: String) throws(BufferError) {
        try write { try $0.set(.hubAddress, hubAddress) }
    }

    /// For a box that is enrolled again: the new hub knows no token of the old one.
    public func forgetToken() throws(BufferError) {
        try write { database in
            try database.set(.token, nil)
            try database.set(.hub, nil)
            try database.set(.hubAddress, nil)
            try database.beginNewStreams()
        }
    }
}
