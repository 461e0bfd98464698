import Foundation
public import Logging
public import Seams
import Synchronization

/// Makes pictures of drawings (SVG to PNG) by `rsvg-convert` of librsvg2-bin, for social networks, which show no SVG. A process of its own for each,
/// one at a time, with limits on memory and time. The drawing comes by standard input, so that it has no address from which it could load anything.
public final class PictureTool: Sendable {
    private struct State {
        var pictures: [String: [UInt8]] = [:]
        /// Oldest first.
        var order: [String] = []
        var waiting = 0
        var hasTold = false

        mutating func keep(_ picture: [UInt8], of drawing: String) {
            pictures[drawing] = picture
            order.append(drawing)
            if order.count > PictureTool.keptMax { pictures[order.removeFirst()] = nil }
        }
    }

    private let state = Mutex(State())
    private let queue: WorkQueue
    private let program: String
    private let logger: Logger
    private let machine: Machine

    /// Pictures kept in memory: 50 KB each, about.
    static let keptMax = 200
    static let waitingMax = 50
    /// Bytes of a drawing: what a pipe takes at once.
    static let drawingMax = 60 << 10
    static let pictureMax = 4 << 20
    /// Milliseconds of clock, seconds of processor, bytes of memory.
    static let timeMax = 10_000, processorMax: rlim_t = 5, memoryMax: rlim_t = 1 << 30

    public init(program: String = "/usr/bin/rsvg-convert", logger: Logger, machine: Machine = .system) {
        (self.program, self.logger, self.machine) = (program, logger, machine)
        queue = BlockingQueue.pictures.made(on: machine)
    }

    /// Whether there is the program; told to the operator once when there is not.
    public var isThere: Bool {
        let isThere = access(program, X_OK) == 0
        if !isThere,
            state.withLock({ state in
                defer { state.hasTold = true }
                return !state.hasTold
            })
        {
            logger.notice(
                "shared results have no picture that social networks show: install librsvg2-bin", metadata: ["missing": "\(program)"])
        }
        return isThere
    }

    /// The drawing as PNG; nil where the program is missing, fails, or too many wait.
    public func picture(of drawing: String) async -> [UInt8]? {
        if let known = state.withLock({ $0.pictures[drawing] }) { return known }
        guard isThere, drawing.utf8.count <= Self.drawingMax else { return nil }
        let mayWait = state.withLock { state in
            guard state.waiting < Self.waitingMax else { return false }
            state.waiting += 1
            return true
        }
        guard mayWait else { return nil }
        return await queue.run { [self] in
            let known = state.withLock { $0.pictures[drawing] }
            let made = known ?? make(drawing)
            state.withLock { state in
                state.waiting -= 1
                if known == nil, let made { state.keep(made, of: drawing) }
            }
            return made
        }
    }

    private func make(_ drawing: String) -> [UInt8]? {
        switch PictureProcess.run(
            program, ["--format=png"], input: Array(drawing.utf8), outputMax: Self.pictureMax, milliseconds: Self.timeMax,
            processor: Self.processorMax, memory: Self.memoryMax, on: machine)
        {
        case .success(let picture) where picture.starts(with: [0x89, 0x50, 0x4E, 0x47]): return picture
        case .success: logger.error("a picture was not made", metadata: ["why": "it is no PNG"])
        case .failure(let problem): logger.error("a picture was not made", metadata: ["why": "\(problem)"])
        }
        return nil
    }
}
