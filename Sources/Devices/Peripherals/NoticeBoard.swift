/// Notices that the desktop shall show, and those that it shows, by the server's numbers.
struct NoticeBoard {
    private struct Entry {
        var notice: DesktopNotice
        /// The server's; 0 while it does not show it.
        var id: UInt32 = 0
        var isSent = false
    }

    /// More notices at a time than there are kinds of them; the oldest give way.
    static let noticesMax = 32
    private var entries: [Entry] = []
    /// Shown, and over.
    private(set) var toClose: [UInt32] = []

    mutating func show(_ notice: DesktopNotice) {
        if let index = entries.firstIndex(where: { $0.notice.key == notice.key }) {
            guard entries[index].notice != notice || entries[index].id == 0 else { return }
            entries[index].notice = notice
            entries[index].isSent = false
            return
        }
        if entries.count == Self.noticesMax { withdraw(entries[0].notice.key) }
        entries.append(Entry(notice: notice))
    }

    mutating func withdraw(_ key: String) {
        guard let index = entries.firstIndex(where: { $0.notice.key == key }) else { return }
        let id = entries.remove(at: index).id
        if id != 0 { toClose.append(id) }
    }

    /// Notices that the server does not show as it should.
    var toSend: [(notice: DesktopNotice, replaces: UInt32)] {
        entries.filter { !$0.isSent }.map { ($0.notice, $0.id) }
    }

    mutating func sent(_ key: String, as id: UInt32) {
        guard let index = entries.firstIndex(where: { $0.notice.key == key }) else { return }
        entries[index].id = id
        entries[index].isSent = true
    }

    mutating func closing() -> [UInt32] {
        defer { toClose = [] }
        return toClose
    }

    func key(of id: UInt32) -> String? { id == 0 ? nil : entries.first { $0.id == id }?.notice.key }

    /// The server shows it no more. Returns its key.
    mutating func closed(_ id: UInt32) -> String? {
        guard id != 0, let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        entries[index].id = 0
        return entries[index].notice.key
    }

    /// Another server shows nothing of it.
    mutating func serverIsNew() {
        toClose = []
        for index in entries.indices {
            // A dismissed notice stays away.
            if entries[index].id != 0 { entries[index].isSent = false }
            entries[index].id = 0
        }
    }
}
