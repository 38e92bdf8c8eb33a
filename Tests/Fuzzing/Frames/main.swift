// A libFuzzer target: plays frames made of the fuzzer's bytes to the sessions of all models. It finds by coverage what
// random frames do not. `Tests/Fuzzing/run` builds and starts it.

import BlueZ
import Pedometers
import StepDomain

#if canImport(Glibc)
    import Glibc
#endif

/// libFuzzer's own main function (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// 2026-05-20 13:00 UTC.
let now = Timestamp(Day("2026-05-20")!.daysSince1970 * 86_400 + 13 * 3_600)

/// The bytes of one run, taken from the front; zeros when they are used up.
struct Input {
    var bytes: UnsafeBufferPointer<UInt8>
    var next = 0

    var isEmpty: Bool { next >= bytes.count }

    mutating func byte() -> UInt8 {
        guard !isEmpty else { return 0 }
        defer { next += 1 }
        return bytes[next]
    }

    /// A frame: its length and the kind of its checksum in one byte, and its bytes. With a right checksum it passes the
    /// check of its model.
    mutating func frame() -> [UInt8] {
        let head = byte()
        let bytes = (0..<Int(head & 0x3f)).map { _ in byte() }
        switch head >> 6 {
        // Rings of the QRing protocol: 15 bytes and their sum.
        case 1:
            let frame = Array(bytes.prefix(15)) + Array(repeating: 0, count: max(0, 15 - bytes.count))
            return frame + [frame.reduce(0, &+)]
        // Lefun: a length, and a CRC-8 of Maxim.
        case 2:
            let frame = [0x5a, UInt8(bytes.count + 3)] + bytes
            let sum = frame.reduce(UInt8(0)) { sum, byte in
                (0..<8).reduce(sum ^ byte) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x8c : value >> 1 }
            }
            return frame + [sum]
        // YCBT: a length, and a CRC-16/CCITT-FALSE.
        case 3:
            let frame = Array(bytes.prefix(2)) + [UInt8(bytes.count + 4), 0] + bytes.dropFirst(2)
            let sum = frame.reduce(UInt16(0xffff)) { sum, byte in
                (0..<8).reduce(sum ^ UInt16(byte) << 8) { value, _ in
                    value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
                }
            }
            return frame + [UInt8(sum & 0xff), UInt8(sum >> 8)]
        default: return bytes
        }
    }
}

func pedometer(_ model: any PedometerModel.Type, _ input: inout Input) -> Pedometer {
    var cursor = PedometerCursor()
    if input.byte() & 1 == 1 {
        // Now and then by a machine whose clock was a day ahead.
        let at = now + 86_400 - Int(input.byte()) * 3_600
        cursor = PedometerCursor(
            readThrough: at, utcOffset: 7_200,
            counter: CounterReading(at: at, value: Int(input.byte()) * 256, utcOffset: 7_200))
    }
    return Pedometer(
        id: 1, user: 1, model: model.key, address: "C0:DE:00:00:00:07", addressType: "random", name: "fuzzed",
        options: model == Generic.self
            ? ["service": "fff0", "characteristic": "fff1", "format": "u32le", "counts": "today"] : [:],
        cursor: cursor)
}

/// - Parameter moment: when it was delivered.
func check(_ batch: SampleBatch, at moment: Timestamp, isCounter: Bool) {
    for span in batch.coverage {
        precondition(
            !span.isEmpty && span.start >= now - 410 * 86_400 && span.end <= moment + 120, "a span of another time")
    }
    let counts = isCounter ? [batch.cursor?.counter?.at, batch.cursor?.undecided?.at] : []
    for mark in [batch.cursor?.readThrough] + counts {
        precondition((mark ?? moment) <= moment + 120, "a cursor of the future")
    }
    for sample in batch.samples {
        precondition(sample.steps >= 0 && sample.length > 0, "an impossible sample")
        precondition(sample.start >= now - 410 * 86_400 && sample.start <= moment + 7_200, "a sample of another time")
    }
}

func play(_ model: any LinkedPedometerModel.Type, _ input: inout Input) {
    let pedometer = pedometer(model, &input)
    let context = SessionContext(pedometer: pedometer, localTime: .fixed(7_200))
    guard var session = try? input.byte() & 1 == 0 ? model.session(context) : model.probe(context) else { return }
    // Frames that drip in keep a session waiting, if they extend its wait.
    let secondsPerFrame = Int(input.byte() & 3)
    let isCounter = model.holdsTodayOnly(pedometer) && model.key != "id115"
    var (event, moment, actions) = (SessionEvent.started, now, 0)
    loop: while true {
        actions += 1
        precondition(actions < 100_000, "a session without end")
        let isAtEnd = input.isEmpty
        switch session.next(after: event, at: moment, uptime: .seconds(moment.seconds)) {
        case .subscribe, .subscribeAll, .write, .stream: event = .done
        case .writeIfPresent: event = isAtEnd ? .absent : .done
        case .read: event = isAtEnd ? .linkLost : .value(input.frame())
        case .readIfPresent: event = isAtEnd ? .absent : .value(input.frame())
        case .receive(let seconds):
            if isAtEnd {
                moment = moment + Int(seconds)
                event = .silence
            } else {
                event = .value(input.frame())
                moment = moment + secondsPerFrame
            }
        case .deliver(let batch, _):
            check(batch, at: moment, isCounter: isCounter)
            event = .done
        case .finish, .fail: break loop
        }
        if case .linkLost = event {
            if case .deliver(let batch, _) = session.next(after: event, at: moment, uptime: .seconds(moment.seconds)) {
                check(batch, at: moment, isCounter: isCounter)
            }
            break
        }
    }
    guard var live = try? model.live(pedometer, known: 100) else { return }
    input.next = 0
    while !input.isEmpty {
        if let steps = live.steps(after: input.frame()) {
            precondition((0...200_000).contains(steps), "impossible live steps")
        }
    }
}

func hear(_ model: any AdvertisedPedometerModel.Type, _ input: inout Input) {
    let context = SessionContext(pedometer: pedometer(model, &input), localTime: .fixed(7_200))
    let own = input.frame()
    let discovery = Discovery(
        address: DeviceAddress("C0:DE:00:00:00:07")!, name: String(decoding: input.frame(), as: UTF8.self),
        manufacturerData: [0x0157: own], serviceData: ["fee0": input.frame()])
    _ = PedometerRegistry.recognise(discovery)
    if let reading = model.reading(in: discovery) {
        check(model.batch(reading, context, at: now), at: now, isCounter: true)
    }
}

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
    runFuzzer(&count, &arguments) { bytes, size in
        var input = Input(bytes: UnsafeBufferPointer(start: bytes, count: size))
        let model = PedometerRegistry.models[Int(input.byte()) % PedometerRegistry.models.count]
        if let model = model as? any LinkedPedometerModel.Type { play(model, &input) }
        if let model = model as? any AdvertisedPedometerModel.Type { hear(model, &input) }
        return 0
    })
