import BlueZ
import Foundation
import StepDomain
import StepServices
import Synchronization
import Testing

@testable import Pedometers

/// Each file of `Tests/PedometersTests/Captures` is a capture of `istep gatt capture`, and a test: its frames are
/// played to the model's session.
///
/// A line `steps: N` in the file is the expected sum; without it, the test expects that every frame can be decoded.
@Suite(.timeLimit(.minutes(5))) struct CaptureTests {
    private static let files: [String] = {
        let folder =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path + "/Captures"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.sorted().map { "\(folder)/\($0)" }
    }()

    @Test func `a capture is read as it was written`() {
        let time = Timestamp(1_779_284_400)
        let capture = FrameCapture(
            model: "ring", options: ["format": "u32le", "counts": "today"], time: time, utcOffset: 7_200,
            frames: [RawFrame(.sent, at: time, bytes: [3, 0xff]), RawFrame(.received, at: time, bytes: [])])
        var values: [String: String] = [:]
        #expect(FrameCapture.read(capture.text + "# a comment\nsteps: 48\n", values: &values) == capture)
        #expect(values["steps"] == "48")
    }

    @Test(arguments: [
        "", "pedometer capture 2\nmodel: ring\ntime: 1\noffset: 0", "pedometer capture 1\ntime: 1\noffset: 0",
        "pedometer capture 1\nmodel: ring\ntime: x\noffset: 0",
        "pedometer capture 1\nmodel: ring\ntime: 1\noffset: 0\n> 0",
        "pedometer capture 1\nmodel: ring\ntime: 1\noffset: 0\n< zz",
        "pedometer capture 1\nmodel: ring\ntime: 1\noffset: 0\nwords",
    ])
    func `a text that is not a capture is rejected`(text: String) {
        var values: [String: String] = [:]
        #expect(FrameCapture.read(text, values: &values) == nil)
    }

    @Test func `each model has a capture`() throws {
        let captured = try Self.files.map { path in
            var values: [String: String] = [:]
            return FrameCapture.read(try String(contentsOfFile: path, encoding: .utf8), values: &values)?.model
        }
        for model in PedometerRegistry.models { #expect(captured.contains(model.key), "\(model.key)") }
    }

    @Test(arguments: files)
    func `a capture is decoded`(path: String) throws {
        var values: [String: String] = [:]
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let capture = try #require(FrameCapture.read(text, values: &values))
        let model = try PedometerRegistry.model(capture.model)
        var pedometer = Pedometer.sample(model)
        pedometer.options = capture.options
        let context = SessionContext(pedometer: pedometer, localTime: .fixed(capture.utcOffset))
        let outcome: SessionPlayer.Outcome
        if let model = model as? any LinkedPedometerModel.Type {
            outcome = Playback(capture).player.play(try model.session(context), at: capture.time)
        } else {
            outcome = try Playback.advertised(capture, context)
        }
        #expect(!outcome.isEndless)
        // What a capture does not have is not answered.
        if let error = outcome.error, error.category != .temporary { Issue.record("\(error)") }
        #expect(!outcome.notices.contains { if case .undecodable = $0 { true } else { false } }, "\(outcome.notices)")
        if let steps = values["steps"] { #expect(outcome.steps == Int(steps)) }
        #expect(!outcome.batches.isEmpty)
    }

    /// What a driver has recorded of a reading says the same again.
    @Test(arguments: files)
    func `the frames of a reading are decoded again to the same batches`(path: String) async throws {
        var values: [String: String] = [:]
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let capture = try #require(FrameCapture.read(text, values: &values))
        guard let model = try PedometerRegistry.model(capture.model) as? any LinkedPedometerModel.Type else { return }
        var pedometer = Pedometer.sample(model)
        pedometer.options = capture.options
        let localTime = LocalTime.fixed(capture.utcOffset), link = CaptureLink(capture)
        let stored = Mutex<[SampleBatch]>([])
        let driver = SessionDriver(
            link: link, now: { capture.time }, uptime: { link.uptime }, progress: { _ in },
            merge: { batch in stored.withLock { $0.append(batch) } })
        var session = try model.session(SessionContext(pedometer: pedometer, localTime: localTime))
        // What a capture does not have is not answered.
        let rest = try? await driver.run(&session).rest
        let batches = stored.withLock { $0 }
        let frames = batches.flatMap(\.frames) + (rest?.frames ?? [])
        let decoded = try #require(FrameReplay().decode(frames, of: pedometer, localTime: localTime))
        #expect(decoded.batches.flatMap(\.samples) == batches.flatMap(\.samples))
        #expect(decoded.batches.flatMap(\.coverage) == batches.flatMap(\.coverage))
        #expect(decoded.batches.compactMap(\.cursor).last == batches.compactMap(\.cursor).last)
        #expect(!batches.isEmpty)
    }
}

/// The pedometer of a capture at the other end of a link.
private final class CaptureLink: SessionLink {
    private let state: Mutex<(playback: Playback, waiting: [[UInt8]], silence: Duration)>

    init(_ capture: FrameCapture) { state = Mutex((Playback(capture), [], .zero)) }

    var uptime: Duration { state.withLock { $0.silence } }

    func subscribe(_ address: GATTAddress) { state.withLock { $0.waiting += $0.playback.unrequested() } }
    func subscribeAll(_ addresses: [GATTAddress]) {}

    func next(within limit: Duration) throws -> [UInt8]? {
        state.withLock { state in
            if !state.waiting.isEmpty { return state.waiting.removeFirst() }
            state.silence += limit
            return nil
        }
    }

    func write(_ bytes: [UInt8], to address: GATTAddress, response: Bool) async throws {
        state.withLock { $0.waiting += $0.playback.replies(to: bytes) }
    }

    func read(_ address: GATTAddress) throws -> [UInt8] { state.withLock { $0.playback.value() } ?? [] }
    func readIfPresent(_ address: GATTAddress) throws -> [UInt8]? { state.withLock { $0.playback.value() } }
    func stream(_ bytes: [UInt8], to address: GATTAddress) async throws {
        try await write(bytes, to: address, response: false)
    }
    func writeIfPresent(_ bytes: [UInt8], to address: GATTAddress) async throws -> Bool {
        try await write(bytes, to: address, response: true)
        return true
    }
    func batteryLevel() -> Int? { nil }
}

/// Answers what a session requests as the pedometer of a capture did.
private final class Playback {
    /// What was received after each frame that was sent; first what was received before any.
    private var answers: [(request: [UInt8], replies: [[UInt8]])] = [([], [])]

    init(_ capture: FrameCapture) {
        for frame in capture.frames {
            if frame.direction == .sent {
                answers.append((frame.bytes, []))
            } else {
                answers[answers.count - 1].replies.append(frame.bytes)
            }
        }
    }

    /// A request of another time, such as a clock that is set or a line with a time, is the one that begins in the same
    /// way.
    func replies(to request: [UInt8]) -> [[UInt8]] {
        let index =
            answers.firstIndex { $0.request == request }
            ?? answers.firstIndex { !$0.request.isEmpty && $0.request.prefix(6) == request.prefix(6) }
        return index.map { answers.remove(at: $0).replies } ?? []
    }

    func value() -> [UInt8]? {
        guard let index = answers.firstIndex(where: { !$0.replies.isEmpty }) else { return nil }
        return answers[index].replies.removeFirst()
    }

    /// What was received before anything was sent.
    func unrequested() -> [[UInt8]] {
        defer { answers[0].replies = [] }
        return answers[0].replies
    }

    var player: SessionPlayer {
        SessionPlayer(
            read: { _ in self.value() }, write: { request, _ in self.replies(to: request) },
            subscribe: { _ in self.unrequested() })
    }

    /// The fields of an advertisement: service data (UUID first), then manufacturer data (company first).
    static func advertised(_ capture: FrameCapture, _ context: SessionContext) throws -> SessionPlayer.Outcome {
        let fields = capture.frames.map(\.bytes)
        let (service, own) = (try #require(fields.first), try #require(fields.dropFirst().first))
        let discovery = Discovery(
            address: DeviceAddress("C0:DE:00:00:00:07")!,
            manufacturerData: [UInt16(own[0]) | UInt16(own[1]) << 8: Array(own.dropFirst(2))],
            serviceData: [.short(UInt16(service[0]) | UInt16(service[1]) << 8): Array(service.dropFirst(2))])
        let reading = try #require(MiBand.reading(in: discovery))
        var outcome = SessionPlayer.Outcome()
        outcome.batches = [MiBand.batch(reading, context, at: capture.time)]
        return outcome
    }
}

extension FrameCapture {
    /// Reads the text of a file; nil if it is not one of these, or has a line that cannot be read.
    ///
    /// - Parameter values: lines with a name that this version does not know, such as what a test expects.
    static func read(_ text: String, values: inout [String: String]) -> FrameCapture? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.first == "pedometer capture 1" else { return nil }
        var frames: [(RawFrame.Direction, [UInt8])] = []
        for line in lines.dropFirst() {
            guard let first = line.first, first != "#" else { continue }
            if first == ">" || first == "<" {
                let digits = line.dropFirst().filter { $0 != " " }
                guard let bytes = digits.isEmpty ? [] : ValueNotation.hexadecimal.bytes(of: String(digits)) else {
                    return nil
                }
                frames.append((first == ">" ? .sent : .received, bytes))
            } else {
                guard let colon = line.firstIndex(of: ":") else { return nil }
                values[String(line[..<colon])] = String(line[line.index(after: colon)...].drop { $0 == " " })
            }
        }
        guard let model = values["model"], let time = values["time"].flatMap({ Int($0) }),
            let offset = values["offset"].flatMap({ Int($0) })
        else { return nil }
        let option = "option."
        let options = values.filter { $0.key.hasPrefix(option) }.map {
            (String($0.key.dropFirst(option.count)), $0.value)
        }
        return FrameCapture(
            model: model, options: Dictionary(uniqueKeysWithValues: options), time: Timestamp(time), utcOffset: offset,
            frames: frames.map { RawFrame($0.0, at: Timestamp(time), bytes: $0.1) })
    }
}
