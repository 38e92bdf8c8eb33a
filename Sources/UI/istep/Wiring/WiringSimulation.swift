import DBus
import Foundation
public import PrivateBus
import SimulatedBlueZ
public import StepDomain
import Synchronization

/// A pedometer that the demo can put in range.
struct DemoPedometer: Sendable {
    /// The key of its model, as in `istep add --model`.
    let key: String
    /// What `istep add` is given to register it.
    let registration: String
    /// What the demo calls it.
    let name: String
    /// Days before today that the first sync reads.
    let daysHeld: Int
    /// The seed of the steps of the simulated person who wears it.
    fileprivate let seed: UInt64
    fileprivate let make: @Sendable (_ seed: UInt64) -> Walker

    /// One of each model, with the one that the demo shows first.
    static let all = [
        DemoPedometer(key: "colmi", registration: "R02", name: "ring", daysHeld: 7, seed: 1) { seed in
            let ring = SimulatedColmi(seed: seed)
            return Walker(ring) {
                ring.addSteps(1, at: ring.clock)
                ring.announceSteps()
            }
        },
        DemoPedometer(key: "infinitime", registration: "InfiniTime", name: "watch", daysHeld: 0, seed: 2) { seed in
            let watch = SimulatedInfiniTime(seed: seed)
            return Walker(watch) { watch.walk(1) }
        },
        DemoPedometer(key: "banglejs", registration: "Bangle.js", name: "bangle", daysHeld: 13, seed: 3) { seed in
            let watch = SimulatedBangle(days: 14, seed: seed)
            return Walker(watch) { watch.walk(1) }
        },
        DemoPedometer(key: "miband", registration: "Mi", name: "band", daysHeld: 0, seed: 4) { seed in
            let band = SimulatedMiBand(steps: 0)
            let walk = DayWalk(WalkingHistory(seed: seed))
            return Walker(band, isRead: false) { band.content.steps = UInt32(clamping: walk.count()) }
        },
        DemoPedometer(
            key: "generic",
            registration: "Stepper --model generic --service fff0 --characteristic fff1 --format u32le --counts total",
            name: "stepper", daysHeld: 0, seed: 5
        ) { _ in
            let stepper = SimulatedGeneric(
                address: "C0:DE:57:E9:00:07", name: "Stepper", advertisedServices: ["fff0"],
                steps: CharacteristicID("fff0", "fff1"),
                source: .manual(52_000), battery: 58)
            return Walker(stepper) { stepper.set(stepper.count + 1) }
        },
        .band("ycbt", "R10M", daysHeld: 7, seed: 6) { .ycbt($0) },
        // A sparse one is read slowly.
        .band("jring", "SMART_RING", daysHeld: 27, seed: 7) { .jring($0, days: 28, isSparse: false) },
        .band("moyoung", "C17", daysHeld: 0, seed: 8) { .moYoung($0, .stepsFirst) },
        .band("lefun", "Lefun", daysHeld: 6, seed: 9) { .lefun($0) },
        .band("no1f1", "X-RUN", daysHeld: 7, seed: 10) { .no1f1($0) },
        .band("id115", "ID115", daysHeld: 0, seed: 11) { .id115($0) },
        .band("crp", "R11", daysHeld: 0, seed: 12) { .crp($0) },
        .band("casio", "CASIO", daysHeld: 0, seed: 13) { .casio($0) },
        .band("fitpro", "LH716", daysHeld: 6, seed: 14) { .fitPro($0) },
        .band("garmin", "vivosmart", daysHeld: 0, seed: 15) { .garmin($0) },
    ]

    /// A band that stores quarters of hours.
    private static func band(
        _ key: String, _ registration: String, daysHeld: Int, seed: UInt64,
        _ make: @escaping @Sendable (BandMemory) -> SimulatedSerialBand
    ) -> DemoPedometer {
        DemoPedometer(key: key, registration: registration, name: key, daysHeld: daysHeld, seed: seed) { seed in
            let memory = BandMemory(days: daysHeld + 1, seed: seed, zone: .ofMachine)
            let band = make(memory)
            return Walker(band) {
                memory.walk(1)
                band.announce()
            }
        }
    }

    /// What its wearer walked on an earlier day, in quarter hours.
    func samples(of day: Day, in localTime: LocalTime) -> [StepSample] {
        let midnight = day.daysSince1970 * 86_400
        let slots = WalkingHistory(seed: seed).slots(
            day: day.daysSince1970, until: WallClock(seconds: midnight + 86_400))
        return slots.map { slot in
            let start = localTime.moment(day, seconds: slot.start.seconds - midnight)
            return StepSample(
                start: start, length: 900, steps: slot.steps, distance: Double(slot.metres),
                energy: Double(slot.calories) / 1000,
                utcOffset: localTime.utcOffset(start))
        }
    }
}

/// A peripheral, and how it makes a step.
private struct Walker: Sendable {
    let peripheral: any SimulatedPeripheral
    /// Whether its steps are read over a connection; otherwise it advertises them.
    let isRead: Bool
    let step: @Sendable () -> Void

    init(_ peripheral: any SimulatedPeripheral, isRead: Bool = true, step: @escaping @Sendable () -> Void) {
        self.peripheral = peripheral
        self.isRead = isRead
        self.step = step
    }
}

/// Today's steps of a person who makes more of them than usual.
private final class DayWalk: Sendable {
    private let history: WalkingHistory
    private let extra = Mutex((day: 0, steps: 0))

    init(_ history: WalkingHistory) { self.history = history }

    /// One step more than the last time, or those of a new day.
    func count() -> Int {
        let clock = WallClock(Date(), in: .ofMachine)
        let usual = history.slots(day: clock.dayNumber, until: clock).reduce(0) { $0 + $1.steps }
        return usual
            + extra.withLock { extra in
                extra = extra.day == clock.dayNumber ? (extra.day, extra.steps + 1) : (clock.dayNumber, 0)
                return extra.steps
            }
    }
}

/// A simulated Bluetooth with pedometers on a private bus, for the demo.
struct SimulatedBluetooth: Sendable {
    private let stack: SimulatedBlueZ
    private let walkers: [Walker]

    /// - Throws: `PrivateBusError` where no bus can be started.
    static func start(_ pedometers: [DemoPedometer]) async throws -> SimulatedBluetooth {
        let walkers = pedometers.map { $0.make($0.seed) }
        return SimulatedBluetooth(
            stack: try await SimulatedBlueZ.start(peripherals: walkers.map(\.peripheral)), walkers: walkers)
    }

    /// The D-Bus address of the simulated system bus.
    var address: String { stack.address }

    /// Every wearer makes a step.
    func step() async {
        for walker in walkers {
            walker.step()
            if !walker.isRead { await stack.advertise(walker.peripheral.address) }
        }
    }

    func stop() async { await stack.stop() }
}

extension PrivateBusError: ReportableError {
    public var category: FailureCategory { .unavailable }
}

extension Wiring {
    /// Whether this process runs in a demo.
    var isInDemo: Bool { environment[DemoFolder.variable]?.isEmpty == false }

    /// Returns when the demo that this process runs in has ended: its bus ends with it.
    func untilDemoEnds() async {
        let names = MatchRule(
            sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged")
        guard let bus = try? await DBusConnection.open(Self.systemBus(environment)),
            let signals = try? await bus.signals(names)
        else { return }
        for await _ in signals {}
    }
}
