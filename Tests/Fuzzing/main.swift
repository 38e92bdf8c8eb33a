// A libFuzzer target: plays frames made of the fuzzer's bytes to the sessions of all models. It finds by coverage what random frames do not.
// `Tests/Fuzzing/run` builds and starts it.

import BlueZ
import Pedometers
import StepDomain

#if canImport(Glibc)
    import Glibc
#endif

/// libFuzzer's own main function (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
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

    /// A frame: its length in one byte, and its bytes. With the highest bit set, the last byte becomes the sum of the 15 others, so that
    /// packets of rings pass their check.
    mutating func frame() -> [UInt8] {
        let head = byte()
        var frame = (0..<Int(head & 0x7f)).map { _ in byte() }
        guard head & 0x80 != 0 else { return frame }
        frame = Array(frame.prefix(15)) + Array(repeating: 0, count: max(0, 15 - frame.count))
        return frame + [frame.reduce(0, &+)]
    }
}

func pedometer(_ model: any PedometerModel.Type, _ input: inout Input) -> Pedometer {
    var cursor = PedometerCursor()
    if input.byte() & 1 == 1 {
        let at = now - Int(input.byte()) * 3_600
        cursor = PedometerCursor(
            readThrough: at, utcOffset: 7_200, counter: CounterReading(at: at, value: Int(input.byte()) * 256, utcOffset: 7_200))
    }
    return Pedometer(
        id: 1, user: 1, model: model.key, address: "C0:DE:00:00:00:07", addressType: "random", name: "fuzzed",
        options: model == Generic.self ? ["service": "fff0", "characteristic": "fff1", "format": "u32le", "counts": "today"] : [:],
        cursor: cursor)
}

func check(_ batch: SampleBatch) {
    for sample in batch.samples {
        precondition(sample.steps >= 0 && sample.length > 0, "an impossible sample")
        precondition(sample.start >= now - 410 * 86_400 && sample.start <= now + 7_200, "a sample of another time")
    }
}

func play(_ model: any LinkedPedometerModel.Type, _ input: inout Input) {
    let pedometer = pedometer(model, &input)
    let context = SessionContext(pedometer: pedometer, localTime: .fixed(7_200))
    guard var session = try? input.byte() & 1 == 0 ? model.session(context) : model.probe(context) else { return }
    var (event, moment, actions) = (SessionEvent.started, now, 0)
    loop: while true {
        actions += 1
        precondition(actions < 100_000, "a session without end")
        let isAtEnd = input.isEmpty
        switch session.next(after: event, at: moment) {
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
            }
        case .deliver(let batch, _):
            check(batch)
            event = .done
        case .finish, .fail: break loop
        }
        if case .linkLost = event {
            if case .deliver(let batch, _) = session.next(after: event, at: moment) { check(batch) }
            break
        }
    }
    guard var live = try? model.live(pedometer, known: 100) else { return }
    input.next = 0
    while !input.isEmpty {
        if let steps = live.steps(after: input.frame()) { precondition((0...200_000).contains(steps), "impossible live steps") }
    }
}

func hear(_ model: any AdvertisedPedometerModel.Type, _ input: inout Input) {
    let context = SessionContext(pedometer: pedometer(model, &input), localTime: .fixed(7_200))
    let own = input.frame()
    let discovery = Discovery(
        address: DeviceAddress("C0:DE:00:00:00:07")!, name: String(decoding: input.frame(), as: UTF8.self),
        manufacturerData: [0x0157: own], serviceData: ["fee0": input.frame()])
    _ = PedometerRegistry.recognise(discovery)
    if let reading = model.reading(in: discovery) { check(model.batch(reading, context, at: now)) }
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
