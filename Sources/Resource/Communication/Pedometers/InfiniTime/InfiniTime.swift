public import BlueZ
public import StepDomain

/// A PineTime with the firmware InfiniTime.
///
/// It counts today's steps: a counter in memory that its own midnight, or a restart, sets to zero. Nothing is
/// encrypted. It advertises the heart rate service and the service for firmware updates, and answers a scan with its
/// name; the service with the steps is in neither.
///
/// A watch that sleeps updates its counter from firmware 1.16 on (`SystemTask.cpp`, `UpdateMotion`). Before, it does so
/// only if it is to wake by a raised wrist or by shaking, which is off as delivered: the count is then as old as the
/// last wake, and the reset of midnight waits for the next one. In 1.15 a subscription to the motion values has the
/// same effect as those settings.
///
/// Source: InfiniTime's firmware, `src/systemtask/SystemTask.cpp`, `src/components/ble/MotionService.cpp`,
/// `CurrentTimeService.cpp`, `src/components/datetime/DateTimeController.cpp`, at the tags 1.13.0 to 1.16.0.
public enum InfiniTime: LinkedPedometerModel {
    public static let key = "infinitime"
    public static let title = "PineTime with InfiniTime"

    static let service: BluetoothUUID = "00030000-78fc-48fe-8e23-433b3a1942d0"
    /// Today's steps: u32 little-endian, read and notify.
    static let steps = GATTAddress(service, "00030001-78fc-48fe-8e23-433b3a1942d0")
    /// The acceleration in three axes, s16 each, read and notify: ten times a second while it is subscribed to.
    static let motion = GATTAddress(service, "00030002-78fc-48fe-8e23-433b3a1942d0")
    /// Firmware Revision String of the Device Information Service, such as `1.15.0`.
    static let firmware = GATTAddress("180a", "2a26")
    static let format = ValueFormat.uint32

    /// A name is weak evidence, but the firmware does not let the user change it, and the services are checked when it
    /// is connected. Forks and early versions have a name of their own (`Pinetime-JF`).
    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        if discovery.services.contains(service) { return .advertisedService }
        let name = discovery.name?.lowercased() ?? ""
        return name.contains("infinitime") || name.hasPrefix("pinetime-jf") ? .name : nil
    }

    public static let characteristicServices = [service]

    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }

    public static func session(_ context: SessionContext) -> any PedometerSession {
        InfiniTimeSession(context, setsClock: true)
    }

    public static func probe(_ context: SessionContext) -> any PedometerSession {
        InfiniTimeSession(context, setsClock: false)
    }

    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? {
        InfiniTimeLive(steps: LiveCounter(pedometer.cursor, known: known))
    }

    /// The counter notifies when it is updated, so the reset of its midnight is not overdue. What its clock shows is
    /// known from the last sync.
    public static func batch(ofLive reading: CounterReading, _ context: SessionContext) -> SampleBatch? {
        let counter = CounterOfToday(
            cursor: context.pedometer.cursor, localTime: context.localTime, reset: .onTime,
            clockSet: context.pedometer.clock.settings.last, isClockInDoubt: !context.setsClock)
        return counter.batch(of: reading, clock: counter.clock(at: reading.at))
    }
}

/// A reading of an InfiniTime watch: firmware version, steps, clock; then its clock is set, if that matters and does no
/// harm.
///
/// The steps are read before the clock is set, because setting it may set the steps to zero. On 1.15 they are read
/// twice: as they are shown, which may be the rest of an earlier day, and after the counter was made to update itself.
struct InfiniTimeSession: PedometerSession {
    private enum Stage { case firmware, steps, motion, updating, updatedSteps, clock, delivering, settingClock }

    /// Notifications of motion to wait for; each comes with an update of the counter.
    private static let updates = 3
    /// Seconds. A watch that lies still updates its counter as often, and notifies nothing.
    private static let maximumUpdate = 0.5

    private let context: SessionContext
    private let setsClock: Bool
    private var stage = Stage.firmware
    private var behavior = InfiniTimeBehavior(firmware: nil)
    private var updates = 0
    private var shownBefore: CounterReading?
    private var reading: CounterReading?
    private var clock: DeviceClock?
    private var correction = ClockCorrection.none
    private var setter = ClockSetter()
    private var report = SessionReport()

    init(_ context: SessionContext, setsClock: Bool) {
        self.context = context
        self.setsClock = setsClock
    }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        switch (stage, event) {
        case (_, .started):
            return .readIfPresent(InfiniTime.firmware)
        case (.firmware, .value(let bytes)):
            report.firmware = String(
                decoding: bytes.prefix(SessionReport.maximumFirmware).prefix { $0 != 0 }, as: UTF8.self)
            behavior = InfiniTimeBehavior(firmware: report.firmware)
            return readSteps(.steps)
        case (.firmware, .absent):
            return readSteps(.steps)
        case (.steps, .value(let bytes)), (.updatedSteps, .value(let bytes)):
            guard let value = InfiniTime.format.decode(bytes) else {
                return .fail(.undecodable("\(bytes.count) bytes where 4 were expected"))
            }
            // A glitch is not the last count of a day.
            shownBefore = reading.flatMap { $0.value <= maximumStepsOfADay ? $0 : nil }
            reading = CounterReading(at: now, value: value, utcOffset: context.localTime.utcOffset(now))
            // An examination changes nothing, and an overdue reset would be a change.
            guard stage == .steps, behavior.updatesWhenSubscribed, setsClock else { return readClock() }
            stage = .motion
            return .readIfPresent(InfiniTime.motion)
        case (.motion, .value):
            stage = .updating
            return .subscribe(InfiniTime.motion)
        case (.motion, .absent):
            behavior.reset = .whenAwake
            return readClock()
        case (.updating, .done):
            return .receive(seconds: Self.maximumUpdate)
        case (.updating, .value):
            updates += 1
            return updates < Self.updates ? .receive(seconds: Self.maximumUpdate) : readSteps(.updatedSteps)
        case (.updating, .silence):
            return readSteps(.updatedSteps)
        case (.updating, .linkLost), (.updatedSteps, .linkLost):
            // The reset may have been carried out: what the counter showed before is kept.
            behavior.reset = .whenAwake
            return deliver()
        case (.clock, .value(let bytes)):
            clock = DeviceClock(currentTime: bytes)
            return deliver()
        case (.clock, _):
            return deliver()
        case (.delivering, .done):
            guard case .set = correction else { return .finish(report) }
            stage = .settingClock
            return .writeIfPresent(setter.begin(at: now, context.localTime).currentTime, to: DeviceClock.address)
        case (.settingClock, .done):
            setter.confirm()
            report.clockSet = setter.confirmed
            if case .set(let seconds) = correction { report.notices.append(.clockCorrected(seconds: seconds)) }
            return .finish(report)
        case (.settingClock, .absent):
            if case .set(let seconds) = correction { report.notices.append(.clockWasOff(seconds: seconds)) }
            return .finish(report)
        case (_, .value), (_, .done), (_, .silence), (_, .absent), (_, .linkLost):
            return .finish(report)
        }
    }

    private mutating func readSteps(_ stage: Stage) -> SessionAction {
        self.stage = stage
        return .read(InfiniTime.steps)
    }

    private mutating func readClock() -> SessionAction {
        stage = .clock
        return .readIfPresent(DeviceClock.address)
    }

    private mutating func deliver() -> SessionAction {
        stage = .delivering
        guard let reading else { return .finish(report) }
        if let clock { correction = ClockCorrection(of: clock, at: reading) }
        let counter = CounterOfToday(
            cursor: context.pedometer.cursor, localTime: context.localTime, reset: behavior.reset,
            shownBefore: shownBefore,
            clockSet: context.pedometer.clock.settings.last, isClockInDoubt: !context.setsClock)
        var batch = counter.batch(of: reading, clock: clock)
        let reportsClock = batch.notices.contains { if case .clockWasOff = $0 { true } else { false } }
        switch correction {
        case .set where setsClock && context.setsClock:
            // Reported when it is set.
            batch.notices.removeAll { if case .clockWasOff = $0 { true } else { false } }
        case .set(let seconds), .postponed(let seconds):
            correction = .none
            // A later sync sets it. Until then it is reported if it is far enough off to shift the times of the steps.
            let matters = !setsClock || abs(seconds) > CounterOfToday.clockTolerance
            if !reportsClock, matters { report.notices.append(.clockWasOff(seconds: seconds)) }
        case .none: break
        }
        return .deliver(batch, progress: .reading(done: 1, of: 1))
    }
}

/// What the version of a watch's firmware shows about its counter.
struct InfiniTimeBehavior: Hashable {
    var reset: MidnightReset
    /// Whether the counter updates itself, and carries out an overdue reset, while the motion values are subscribed to.
    let updatesWhenSubscribed: Bool

    /// - Parameter firmware: such as `1.15.0`; nil or another text for an unknown one.
    init(firmware: String?) {
        let numbers = firmware?.split(separator: ".", omittingEmptySubsequences: false).prefix(2).map { Int($0) } ?? []
        guard numbers.count == 2, let major = numbers[0], let minor = numbers[1], (major, minor) >= (1, 15) else {
            (reset, updatesWhenSubscribed) = (.whenAwake, false)
            return
        }
        (reset, updatesWhenSubscribed) = (.onTime, (major, minor) == (1, 15))
    }
}

/// The counter notifies while its wearer walks and the watch is awake.
struct InfiniTimeLive: LiveSession {
    let address = InfiniTime.steps
    let countsFromKnown = true
    private(set) var storableCount: Int?
    private var steps: LiveCounter

    init(steps: LiveCounter) { self.steps = steps }

    mutating func steps(after value: [UInt8]) -> Int? { steps(after: value, at: Timestamp(0), utcOffset: 0) }

    mutating func steps(after value: [UInt8], at now: Timestamp, utcOffset: Int) -> Int? {
        guard let value = InfiniTime.format.decode(value), value <= maximumStepsOfADay else { return nil }
        storableCount = value
        return steps.steps(value, on: Day(of: now, utcOffset: utcOffset))
    }
}
