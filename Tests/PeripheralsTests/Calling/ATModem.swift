import Glibc
import Synchronization

/// A modem that speaks AT commands (3GPP TS 27.007 and 27.005) on an abstract socket, where ModemManager's test interface looks for it.
final class ATModem: Sendable {
    /// What the network and the other phone do.
    struct Script: Sendable {
        /// +CREG: 1 at home, 2 searching, 3 denied.
        var registration = 1
        var pin = "READY"
        /// The answer to a text: a reference, or an error.
        var textError: Int?
        /// Nothing at all follows a text.
        var textsHang = false
        var reports = true
        /// What +CLCC lists while a call goes on: 2 dialling, 3 alerting, 0 active; nil for a list that has ended.
        var callStates: [Int?] = [2, 3, 0]
        /// The answer to ATD.
        var dialError: String?
        /// Keys that the other side presses once it is active.
        var keys = ""
    }

    let name: String
    let script: Mutex<Script>
    private struct State {
        var commands: [String] = []
        var messages: [String] = []
        var dialled: [String] = []
        var hangUps = 0
        var reference = 0
        var stored: String?
        var isCalling = false
        var polls = 0
        var client: Int32 = -1
    }
    private let state = Mutex(State())
    private let server: Int32

    init(_ script: Script = Script()) {
        self.script = Mutex(script)
        name = "abstract:trackme-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in for (index, byte) in name.utf8.enumerated() { path[index + 1] = byte } }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        withUnsafePointer(to: address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(server, $0, size) } }
        listen(server, 4)
        var thread = pthread_t()
        let unmanaged = Unmanaged.passUnretained(self)
        let pointer = Int(bitPattern: unmanaged.toOpaque())
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<ATModem>.fromOpaque(argument).takeUnretainedValue().serve()
                return nil
            }, UnsafeMutableRawPointer(bitPattern: pointer))
        self.thread.withLock { $0 = thread }
    }

    private let thread = Mutex<pthread_t>(0)

    /// Unplugs it. To be called before the last reference goes.
    func end() {
        shutdown(server, Int32(SHUT_RDWR))
        state.withLock { if $0.client >= 0 { _ = shutdown($0.client, Int32(SHUT_RDWR)) } }
        pthread_join(thread.withLock { $0 }, nil)
        close(server)
    }

    /// The PDUs of texts that were handed over, in hexadecimal.
    var messages: [String] { state.withLock { $0.messages } }
    var dialled: [String] { state.withLock { $0.dialled } }
    var hangUps: Int { state.withLock { $0.hangUps } }
    var commands: [String] { state.withLock { $0.commands } }

    /// Says something without being asked.
    func say(_ line: String) {
        let client = state.withLock { $0.client }
        send(client, "\r\n\(line)\r\n")
    }

    /// A text of two letters comes in from +393331112222.
    func receiveOK() {
        state.withLock { $0.stored = "00040C919333131122220000" + "62112161000000" + "02CF25" }
        say("+CMTI: \"ME\",1")
    }

    private func serve() {
        while true {
            let client = accept(server, nil, nil)
            guard client >= 0 else { return }
            state.withLock { $0.client = client }
            var line: [UInt8] = [], byte: UInt8 = 0
            while read(client, &byte, 1) == 1 {
                switch byte {
                case 13: answer(client, String(decoding: line, as: UTF8.self).trimmingPrefix("\n"))
                case 26: text(client, String(decoding: line, as: UTF8.self).trimmingPrefix("\n"))
                default:
                    line.append(byte)
                    continue
                }
                line = []
            }
            state.withLock { $0.client = -1 }
            close(client)
        }
    }

    private func send(_ client: Int32, _ text: String) { _ = Glibc.send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

    private func text(_ client: Int32, _ pdu: Substring) {
        let script = script.withLock { $0 }
        let reference = state.withLock { state in
            state.messages.append(String(pdu))
            state.reference += 1
            return state.reference
        }
        if script.textsHang { return }
        if let error = script.textError { return send(client, "\r\n+CMS ERROR: \(error)\r\n") }
        send(client, "\r\n+CMGS: \(reference)\r\n\r\nOK\r\n")
        guard script.reports else { return }
        let hex = String(reference, radix: 16), address = pdu.dropFirst(6).prefix(16), time = "62112161000000"
        let report = "0006" + (hex.count < 2 ? "0" : "") + hex + address + time + time + "00"
        send(client, "\r\n+CDS: \(report.count / 2 - 1)\r\n\(report)\r\n")
    }

    private func answer(_ client: Int32, _ command: Substring) {
        guard !command.isEmpty else { return }
        state.withLock { $0.commands.append(String(command)) }
        if command.hasPrefix("AT+CMGS=") { return send(client, "\r\n> ") }
        let lines = lines(String(command)) ?? ["ERROR"]
        let isFinal = ["ERROR", "BUSY", "NO CARRIER", "NO ANSWER", "+CM"].contains { lines.last?.hasPrefix($0) == true && lines.count == 1 }
        send(client, lines.map { "\r\n\($0)\r\n" }.joined() + (isFinal && !lines[0].hasPrefix("+CMG") ? "" : "\r\nOK\r\n"))
    }

    private func lines(_ command: String) -> [String]? {
        let script = script.withLock { $0 }
        switch command {
        case "AT+CPIN?": return ["+CPIN: \(script.pin)"]
        case "AT+CREG?", "AT+CGREG?", "AT+CEREG?":
            return [command.dropFirst(2).dropLast() + ": 2,\(script.registration),\"1A\",\"2B\",7"]
        case "AT+CLCC": return call(script)
        case "ATH", "AT+CHUP", "AT+CHLD=11":
            state.withLock { ($0.hangUps, $0.isCalling) = ($0.hangUps + ($0.isCalling ? 1 : 0), false) }
            return []
        case "AT+CMGR=1":
            guard let stored = state.withLock({ $0.stored }) else { return nil }
            return ["+CMGR: 1,,\(stored.count / 2 - 1)\r\n\(stored)"]
        case _ where command.hasPrefix("AT+CMGD="):
            state.withLock { $0.stored = nil }
            return []
        case _ where command.hasPrefix("ATD"):
            state.withLock { ($0.isCalling, $0.polls) = (script.dialError == nil, 0) }
            state.withLock { $0.dialled.append(String(command.dropFirst(3).dropLast())) }
            return script.dialError.map { [$0] } ?? []
        case _ where command.hasPrefix("AT+CRSM=176,12258"): return ["+CRSM: 144,0,\"989301100000000000F1\""]
        case _ where command.hasPrefix("AT+CRSM"): return ["+CRSM: 106,130"]
        default: return Self.table[command].map { [$0] } ?? []
        }
    }

    private func call(_ script: Script) -> [String] {
        let (poll, number) = state.withLock { state in
            guard state.isCalling else { return (-1, "") }
            defer { state.polls += 1 }
            return (state.polls, state.dialled.last ?? "")
        }
        guard poll >= 0, let status = script.callStates[min(poll, script.callStates.count - 1)] else { return [] }
        if status == 0, !script.keys.isEmpty {
            for key in script.keys { pressed(key) }
            self.script.withLock { $0.keys = "" }
        }
        return ["+CLCC: 1,0,\(status),0,0,\"\(number)\",145"]
    }

    /// Behind the answer that is being given.
    private func pressed(_ key: Character) {
        let client = state.withLock { $0.client }
        let sender = Unmanaged.passRetained(Key(client: client, text: "\r\n+RXDTMF: \(key)\r\n"))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let key = Unmanaged<Key>.fromOpaque(argument).takeRetainedValue()
                usleep(500_000)
                _ = Glibc.send(key.client, key.text, key.text.utf8.count, Int32(MSG_NOSIGNAL))
                return nil
            }, sender.toOpaque())
        pthread_detach(thread)
    }

    private final class Key {
        let client: Int32, text: String
        init(client: Int32, text: String) { (self.client, self.text) = (client, text) }
    }

    private static let table = [
        "AT+GCAP": "+GCAP: +CGSM", "AT+CGMI": "Example", "AT+CGMM": "Modem One", "AT+CGMR": "1.0", "AT+CGSN": "490154203237518",
        "AT+CFUN?": "+CFUN: 1", "AT+COPS?": "+COPS: 0,0,\"Example Net\"", "AT+CSQ": "+CSQ: 20,99", "AT+CMGF=?": "+CMGF: (0,1)",
        "AT+CPMS=?": "+CPMS: (\"ME\",\"SM\"),(\"ME\",\"SM\"),(\"ME\",\"SM\")", "AT+CPMS?": "+CPMS: \"ME\",0,99,\"ME\",0,99,\"ME\",0,99",
        "AT+CNMI=?": "+CNMI: (0,1,2),(0-3),(0,2),(0,1),(0,1)", "AT+CSCS=?": "+CSCS: (\"IRA\",\"UCS2\",\"GSM\")",
        "AT+CIMI": "222010000000001", "AT+CNUM": "+CNUM: \"\",\"+393330000000\",145", "AT+WS46=?": "+WS46: (12,22,25,28,29)",
        "AT+CIND=?": "+CIND: (\"signal\",(0-5)),(\"service\",(0-1))", "AT+CLCK=?": "+CLCK: (\"SC\",\"PN\")",
        "AT+CNSMOD?": "+CNSMOD: 0,8",
    ]
}
