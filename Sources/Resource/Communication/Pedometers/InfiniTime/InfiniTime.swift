public import BlueZ
public import StepDomain

/// A PineTime with the firmware InfiniTime.
///
/// It counts today's steps: a counter in memory that its own midnight, or a restart, sets to zero. Nothing is encrypted. It advertises the
/// heart rate service and its name, not the service with the steps.
///
/// Source: InfiniTime's firmware, `src/components/ble/MotionService.cpp`, `CurrentTimeService.cpp`,
/// `src/components/datetime/DateTimeController.cpp`.
public enum InfiniTime: LinkedPedometerModel {
    public static let key = "infinitime"
    public static let title = "PineTime with InfiniTime"

    static let service: BluetoothUUID = "00030000-78fc-48fe-8e23-433b3a1942d0"
    /// Today's steps: u32 little-endian, read and notify.
    static let steps = GATTAddress(service, "00030001-78fc-48fe-8e23-433b3a1942d0")
    /// Firmware Revision String of the Device Information Service, such as `1.15.0`.
    static let firmware = GATTAddress("180a", "2a26")
    static let format = ValueFormat.uint32

    /// A name is weak evidence, but the firmware does not let the user change it, and the services are checked when it is connected.
    public static func evidence(in discovery: Discovery) -> KindEvidence? {
        if discovery.services.contains(service) { return .advertisedService }
        return discovery.name == "InfiniTime" ? .name : nil
    }

    public static let characteristicServices = [service]

    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool { true }

    public static func session(_ context: SessionContext) -> any PedometerSession { InfiniTimeSession(context, setsClock: true) }

    public static func probe(_ context: SessionContext) -> any PedometerSession { InfiniTimeSession(context, setsClock: false) }

    public static func live(_ pedometer: Pedometer, known: Int) -> (any LiveSession)? { InfiniTimeLive() }
}

/// A reading of an InfiniTime watch: steps, clock, firmware version; then its clock is set, if that matters and does no harm.
///
/// The steps are read before the clock is set, because setting it may set the steps to zero.
struct InfiniTimeSession: PedometerSession {
    private enum Stage { case steps, clock, delivering, settingClock, firmware }

    private let context: SessionContext
    private let setsClock: Bool
    private var stage = Stage.steps
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
            return .read(InfiniTime.steps)
        case (.steps, .value(let bytes)):
            guard let value = InfiniTime.format.decode(bytes) else {
                return .fail(.undecodable("\(bytes.count) bytes where 4 were expected"))
            }
            reading = CounterReading(at: now, value: value, utcOffset: context.localTime.utcOffset(now))
            stage = .clock
            return .readIfPresent(DeviceClock.address)
        case (.clock, .value(let bytes)):
            clock = DeviceClock(currentTime: bytes)
            return deliver()
        case (.clock, _):
            return deliver()
        case (.delivering, .done):
            guard case .set = correction else { return readFirmware() }
            stage = .settingClock
            return .writeIfPresent(setter.begin(at: now, context.localTime).currentTime, to: DeviceClock.address)
        case (.settingClock, .done):
            setter.confirm()
            report.clockSet = setter.confirmed
            if case .set(let seconds) = correction { report.notices.append(.clockCorrected(seconds: seconds)) }
            return readFirmware()
        case (.settingClock, .absent):
            if case .set(let seconds) = correction { report.notices.append(.clockWasOff(seconds: seconds)) }
            return readFirmware()
        case (.firmware, .value(let bytes)):
            report.firmware = String(decoding: bytes.prefix(SessionReport.longestFirmware).prefix { $0 != 0 }, as: UTF8.self)
            return .finish(report)
        case (_, .value), (_, .done), (_, .silence), (_, .absent), (_, .linkLost):
            return .finish(report)
        }
    }

    private mutating func readFirmware() -> SessionAction {
        stage = .firmware
        return .readIfPresent(InfiniTime.firmware)
    }

    private mutating func deliver() -> SessionAction {
        stage = .delivering
        guard let reading else { return .finish(report) }
        if let clock { correction = ClockCorrection(of: clock, at: reading) }
        let counter = CounterOfToday(
            cursor: context.pedometer.cursor, localTime: context.localTime,
            clockSet: context.pedometer.clock.settings.last)
        var batch = counter.batch(of: reading, clock: clock)
        let reportsClock = batch.notices.contains { if case .clockWasOff = $0 { true } else { false } }
        switch correction {
        case .set where setsClock:
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

/// The counter notifies while its wearer walks and the watch is awake.
struct InfiniTimeLive: LiveSession {
    let address = InfiniTime.steps

    mutating func steps(after value: [UInt8]) -> Int? {
        InfiniTime.format.decode(value).flatMap { $0 <= mostStepsOfADay ? $0 : nil }
    }
}
