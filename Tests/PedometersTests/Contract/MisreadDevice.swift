import BlueZ
import SimulatedBlueZ
import StepDomain
import Synchronization
import TestSupport
import Testing

@testable import Pedometers

/// A pedometer whose clock is right, read by a machine whose clock may not be: all that its readings stored.
final class MisreadDevice {
    struct Kind: Sendable, CustomTestStringConvertible {
        let model: any PedometerModel.Type
        let make: @Sendable (TestTime) -> any SimulatedPeripheral
        var options: [String: String] = [:]
        var name: String?
        var testDescription: String { model.key + ((name ?? options["counts"]).map { " " + $0 } ?? "") }
    }

    /// What this machine's clock shows, and how far it can be believed.
    struct MachineClock: Hashable {
        /// Seconds by which it is ahead.
        var clockOffset = 0
        var boot = "a"
        var isTrusted = true
    }

    static let zone = BandFixture.zone
    private let kind: Kind
    private let time: TestTime
    private let peripheral: any SimulatedPeripheral
    private let localTime = LocalTime.zone(zone)
    private var cursor = PedometerCursor()
    private var clock = ClockState()
    private(set) var samples: [StepSample] = []
    private(set) var coverage: [TimeSpan] = []
    /// The settings of the pedometer's clock.
    private(set) var settings: [ClockState.Setting] = []

    /// - Parameter start: the true time.
    init(_ kind: Kind, at start: Timestamp) {
        self.kind = kind
        time = TestTime(start)
        peripheral = kind.make(time)
    }

    func pass(_ seconds: Int) { time.pass(seconds) }

    func sync(_ machine: MachineClock = MachineClock()) throws {
        let now = time.now + machine.clockOffset
        let mark = ClockMark(
            at: now, uptime: time.now.seconds % 10_000_000, boot: machine.boot, isTrusted: machine.isTrusted)
        var pedometer = Pedometer.sample(kind.model, cursor: cursor)
        (pedometer.options, pedometer.clock) = (kind.options.isEmpty ? pedometer.options : kind.options, clock)
        let context = SessionContext(pedometer: pedometer, localTime: localTime, mark: mark)
        cursor = context.pedometer.cursor
        guard let linked = kind.model as? any LinkedPedometerModel.Type else {
            guard let advertised = kind.model as? any AdvertisedPedometerModel.Type else { return }
            let advertisement = peripheral.advertisement
            let discovery = Discovery(
                address: DeviceAddress(peripheral.address)!, name: advertisement.name,
                manufacturerData: advertisement.manufacturerData,
                serviceData: [MiBand.service: advertisement.serviceData["fee0"] ?? []])
            let discovered = advertised.reading(in: discovery)
            let reading = try #require(discovered)
            return take(
                context.marked(advertised.batch(reading, context, at: now), start: mark, now: mark, after: cursor))
        }
        let received = Mutex<[[UInt8]]>([])
        peripheral.linkOpened(PeripheralLink { _, bytes in received.withLock { $0.append(bytes) } })
        defer { peripheral.linkClosed() }
        @Sendable func taken() -> [[UInt8]] {
            received.withLock { received in
                defer { received = [] }
                return received
            }
        }
        var player = SessionPlayer(
            read: { [peripheral] in try? peripheral.read(CharacteristicID($0)) },
            write: { [peripheral] bytes, address in
                (try? peripheral.write(bytes, to: CharacteristicID(address))) != nil ? taken() : nil
            },
            subscribe: { [peripheral] address in
                try? peripheral.subscriptionChanged(CharacteristicID(address), subscribed: true)
                return taken()
            })
        if let band = peripheral as? SimulatedSerialBand {
            player.interrupts = { band.behaviour.interrupted($0) != nil }
        }
        let outcome = player.play(AnySession(session: try linked.session(context)), at: now)
        for batch in outcome.batches { take(context.marked(batch, start: mark, now: mark, after: cursor)) }
        #expect(!outcome.isEndless)
        guard let setting = outcome.report?.clockSet else { return }
        settings.append(setting)
        clock.record(setting, memory: 40 * 86_400)
    }

    private func take(_ batch: SampleBatch) {
        cursor = batch.cursor ?? cursor
        samples += batch.samples.filter(\.isPlausible)
        coverage += batch.coverage
    }

    /// Stored steps by the beginning and the length of their sample: a later reading of the same slot replaces it, and
    /// never loses steps.
    var slots: [TimeSpan: Int] { Dictionary(samples.map { ($0.span, $0.steps) }, uniquingKeysWith: max) }

    var steps: Int { slots.values.reduce(0, +) }

    var stepsOfDays: [Day: Int] {
        Dictionary(slots.map { (localTime.day(of: $0.key.start), $0.value) }, uniquingKeysWith: +)
    }

    /// Whether steps could count twice.
    var overlaps: Bool {
        let sorted = slots.keys.sorted { $0.start < $1.start }
        return zip(sorted, sorted.dropFirst()).contains { $0.overlaps($1) }
    }

    func isComplete(_ day: Day) -> Bool {
        Coverage(coverage).gaps(in: localTime.span(of: day)).isEmpty
    }

    /// What is accounted for after a moment.
    func covers(after moment: Timestamp) -> Bool { coverage.contains { $0.end > moment } }
}
