public import StepDomain
internal import Support
internal import Synchronization

/// The raw frames of one sync as a text file, for a report: the decoders' tests read it.
///
/// One line for each frame, `>` sent and `<` received, then its bytes in hexadecimal digits; before them lines of the
/// form `name: value`, of which a reader ignores those that it does not know. The pedometer's address, in both byte
/// orders, and its name are replaced by zeros.
///
///     pedometer capture 1
///     model: colmi
///     time: 1779284400
///     offset: 7200
///     option.format: u32le
///     > 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 03
///     < 03 4c 00 00 00 00 00 00 00 00 00 00 00 00 00 4f
public struct FrameCapture: Hashable, Sendable {
    public var model: String
    /// How a pedometer of the described kind is read; empty for others.
    public var options: [String: String]
    /// When the first frame was sent or received, or when the capture began if there is none.
    public var time: Timestamp
    /// Seconds east of Greenwich.
    public var utcOffset: Int
    public var frames: [RawFrame]

    public init(model: String, options: [String: String] = [:], time: Timestamp, utcOffset: Int, frames: [RawFrame]) {
        self.model = model
        self.options = options
        self.time = time
        self.utcOffset = utcOffset
        self.frames = frames
    }

    /// The text of the file.
    public var text: String {
        var lines = ["pedometer capture 1", "model: \(model)", "time: \(time.seconds)", "offset: \(utcOffset)"]
        lines += options.sorted { $0.key < $1.key }.map { "option.\($0.key): \($0.value)" }
        for frame in frames {
            lines.append("\(frame.direction == .sent ? ">" : "<") \(ValueNotation.hexadecimal(frame.bytes))".trimmed)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The frames without what identifies the pedometer.
    public func masked(_ pedometer: Pedometer) -> FrameCapture {
        let address = pedometer.address.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        var secrets = [
            address, address.reversed(), Array(pedometer.address.utf8), Array(pedometer.address.lowercased().utf8),
        ]
        // A short name occurs by chance.
        if pedometer.name.utf8.count >= 4 { secrets.append(Array(pedometer.name.utf8)) }
        var masked = self
        masked.frames = frames.map { frame in
            var bytes = frame.bytes
            for secret in secrets where secret.count >= 4 {
                bytes.replace(secret, with: [UInt8](repeating: 0, count: secret.count))
            }
            return RawFrame(frame.direction, at: frame.at, bytes: bytes)
        }
        return masked
    }
}

extension String {
    fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}

/// A sync of one pedometer that also returns its raw frames.
public struct CapturedSync: Sendable {
    private let context: ServiceContext

    public init(_ context: ServiceContext) { self.context = context }

    /// Syncs a pedometer as `SyncService` does, without sharing.
    ///
    /// - Parameters:
    ///   - name: its name or address.
    ///   - days: at most so many days are requested; nil for all that is new.
    /// - Returns: the report, and the frames without address and name. Also a sync that has failed has frames: they
    ///   show the cause.
    /// - Throws: `ServiceError.unknownPedometer`, and as `SyncService.run`.
    public func run(
        _ name: String, days: Int? = nil, progress: @escaping @Sendable (SyncService.Step) -> Void = { _ in }
    ) async throws -> (outcome: SyncService.Outcome, capture: FrameCapture) {
        let pedometer = try await blocking { [context] in try PedometerSelection(context.history).pedometer(name) }
        let frames = FrameList()
        let options = SyncService.Options(days: days, isShared: false, record: { frames.add($0) })
        let outcome = try await SyncService(context, options).run([pedometer], progress: progress)
        let time = frames.all.first?.at ?? outcome.start
        let capture = FrameCapture(
            model: pedometer.model, options: pedometer.options, time: time,
            utcOffset: context.localTime.utcOffset(time), frames: frames.all)
        return (outcome, capture.masked(pedometer))
    }

    private final class FrameList: Sendable {
        private let frames = Mutex<[RawFrame]>([])
        func add(_ new: [RawFrame]) { frames.withLock { $0 += new } }
        var all: [RawFrame] { frames.withLock { $0 } }
    }
}
