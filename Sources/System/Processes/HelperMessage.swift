import CLinux
import Glibc

/// What a ``ProgramHelper`` and whoever asks it say to each other: a message each over a socket that keeps messages apart (SOCK_SEQPACKET).
/// The first one asks for a program; its standard input, output and errors come as descriptors beside it.
enum HelperMessage {
    /// Bytes of a message.
    static let max = 64 << 10

    /// A program to start.
    struct Request: Equatable {
        var command: [String]
        var environment: [String]
        /// Which of standard input, output and errors come as descriptors, a bit each.
        var streams: UInt8

        /// nil where it is longer than a message may be, or a text holds a zero byte.
        var bytes: [UInt8]? {
            let texts = command + environment
            guard command.count <= Int(UInt16.max), !texts.contains(where: { $0.utf8.contains(0) }) else { return nil }
            let head = [streams, UInt8(command.count & 0xFF), UInt8(command.count >> 8)]
            let bytes = texts.reduce(into: head) { $0 += Array($1.utf8) + [0] }
            return bytes.count <= HelperMessage.max ? bytes : nil
        }

        init(command: [String], environment: [String], streams: UInt8) {
            (self.command, self.environment, self.streams) = (command, environment, streams)
        }

        /// nil for anything that is no request.
        init?(_ bytes: ArraySlice<UInt8>) {
            let bytes = Array(bytes)
            guard bytes.count > 3, bytes[0] < 8, bytes.last == 0 else { return nil }
            let texts = bytes[3...].dropLast().split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            let count = Int(bytes[1]) | Int(bytes[2]) << 8
            guard count > 0, count <= texts.count else { return nil }
            self.init(command: Array(texts[..<count]), environment: Array(texts[count...]), streams: bytes[0])
        }
    }

    /// A message of five bytes: what it is, and a number.
    enum Word: Equatable {
        /// The number of the process.
        case started(Int32)
        /// The number of the error.
        case failed(Int32)
        case exited(Int32)
        case killed(Int32)
        /// To the helper: a signal for the program and all that it has started.
        case signal(Int32)

        var bytes: [UInt8] {
            let (kind, number): (UInt8, Int32) =
                switch self {
                case .started(let id): (1, id)
                case .failed(let code): (2, code)
                case .exited(let status): (3, status)
                case .killed(let signal): (4, signal)
                case .signal(let signal): (5, signal)
                }
            return [kind] + withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count == 5, let kind = bytes.first else { return nil }
            let number = Int32(bitPattern: bytes.dropFirst().reversed().reduce(0) { $0 << 8 | UInt32($1) })
            switch kind {
            case 1: self = .started(number)
            case 2: self = .failed(number)
            case 3: self = .exited(number)
            case 4: self = .killed(number)
            case 5: self = .signal(number)
            default: return nil
            }
        }
    }

    static func send(_ word: Word, to socket: Int32) { _ = send(word.bytes, [], to: socket) }

    static func send(_ bytes: [UInt8], _ descriptors: [Int32], to socket: Int32) -> Bool {
        trackme_send_descriptors(socket, bytes, bytes.count, descriptors, Int32(descriptors.count)) == bytes.count
    }

    enum Received {
        /// With descriptors that are the caller's.
        case message(ArraySlice<UInt8>, [Int32])
        case nothing
        case end
    }

    /// The next message that has arrived.
    static func receive(from socket: Int32, into room: inout [UInt8]) -> Received {
        var descriptors: [Int32] = [-1, -1, -1], count: Int32 = 0
        let length = trackme_receive_descriptors(socket, &room, room.count, &descriptors, &count)
        if length < 0, errno == EAGAIN || errno == EINTR { return .nothing }
        guard length > 0 else { return .end }
        return .message(room[..<length], Array(descriptors[..<Int(count)]))
    }
}
