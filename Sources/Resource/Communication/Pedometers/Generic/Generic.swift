public import BlueZ
public import StepDomain

/// Any pedometer that shows its steps as a number in one characteristic: the user specifies which, and how it is
/// encoded.
///
/// The characteristic is addressed by the UUIDs of its service and itself. Such a pedometer keeps no history; its steps
/// are the differences between readings.
public enum Generic: LinkedPedometerModel {
    public static let key = "generic"
    public static let title = "generic pedometer"

    /// No advertisement shows it: only the user knows.
    public static func evidence(in discovery: Discovery) -> KindEvidence? { nil }

    public static func services(of pedometer: Pedometer) throws(PedometerError) -> [BluetoothUUID] {
        [try GenericOptions(pedometer.options).address.service]
    }

    public static func protectedValue(of pedometer: Pedometer) throws(PedometerError) -> GATTAddress? {
        try GenericOptions(pedometer.options).address
    }

    public static func checkProtected(_ value: [UInt8], of pedometer: Pedometer) throws(PedometerError) {
        let format = try GenericOptions(pedometer.options).format
        guard format.decode(value) != nil else {
            throw .badOption("format", value: format.description, expected: format.shortage(value))
        }
    }

    /// For a count that only grows, a late reading loses nothing.
    public static func holdsTodayOnly(_ pedometer: Pedometer) -> Bool {
        (try? GenericOptions(pedometer.options))?.counting == .today
    }

    public static func live(_ pedometer: Pedometer, known: Int) throws(PedometerError) -> (any LiveSession)? {
        GenericLive(try GenericOptions(pedometer.options), pedometer, known: known)
    }

    public static func session(_ context: SessionContext) throws(PedometerError) -> any PedometerSession {
        GenericSession(try GenericOptions(context.pedometer.options), context)
    }

    /// Reading the number changes nothing.
    public static func probe(_ context: SessionContext) throws(PedometerError) -> any PedometerSession {
        try session(context)
    }
}

/// The options of a generic pedometer, as the user specifies them.
public struct GenericOptions: Hashable, Sendable {
    public enum Counting: String, Sendable, CaseIterable {
        /// Steps since the local midnight.
        case today
        /// Steps since some beginning. It decreases only by a restart or an overflow.
        case total
    }

    public var address: GATTAddress
    public var format: ValueFormat
    public var counting: Counting

    /// Checks the options in the form that the history stores: `service`, `characteristic`, `format`, `counts`.
    public init(_ options: [String: String]) throws(PedometerError) {
        address = GATTAddress(
            try BluetoothUUID.option("service", options["service"] ?? ""),
            try BluetoothUUID.option("characteristic", options["characteristic"] ?? ""))
        let format = options["format"] ?? "u32le"
        guard let value = ValueFormat(format) else {
            throw .badOption(
                "format", value: format,
                expected:
                    "u16, u24 or u32, then le or be, then @ and the offset if it is not 0, such as u32le or u24be@1")
        }
        self.format = value
        let counts = options["counts"] ?? Counting.total.rawValue
        guard let counting = Counting(rawValue: counts) else {
            throw .badOption("counts", value: counts, expected: "today or total")
        }
        self.counting = counting
    }

    /// The options in the form that the history stores.
    public var stored: [String: String] {
        [
            "service": address.service.description, "characteristic": address.characteristic.description,
            "format": format.description, "counts": counting.rawValue,
        ]
    }
}

/// Reads the one value and calculates the steps since the reading before; reads the pedometer's clock if that decides
/// to which day the steps belong.
struct GenericSession: PedometerSession {
    private let options: GenericOptions
    private let context: SessionContext
    /// The value that was read, while the clock is being read.
    private var pending: CounterReading?
    private var report = SessionReport()

    init(_ options: GenericOptions, _ context: SessionContext) {
        self.options = options
        self.context = context
    }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        switch event {
        case .started:
            return .read(options.address)
        case .value(let bytes):
            if let pending { return deliver(pending, DeviceClock(currentTime: bytes)) }
            guard let value = options.format.decode(bytes) else {
                return .fail(.undecodable("its format is \(options.format), but \(options.format.shortage(bytes))"))
            }
            let reading = CounterReading(at: now, value: value, utcOffset: context.localTime.utcOffset(now))
            guard options.counting == .today, counterOfToday.dependsOnClock(reading) else {
                return deliver(reading, nil)
            }
            pending = reading
            return .readIfPresent(DeviceClock.address)
        case .absent, .linkLost:
            guard let pending else { return .finish(report) }
            return deliver(pending, nil)
        case .done, .silence:
            return .finish(report)
        }
    }

    private var counterOfToday: CounterOfToday { CounterOfToday(context) }

    private var growingCounter: GrowingCounter {
        GrowingCounter(
            cursor: context.pedometer.cursor, localTime: context.localTime, modulus: options.format.modulus,
            isClockInDoubt: !context.setsClock)
    }

    private mutating func deliver(_ reading: CounterReading, _ clock: DeviceClock?) -> SessionAction {
        pending = nil
        let batch =
            switch options.counting {
            case .today: counterOfToday.batch(of: reading, clock: clock)
            case .total: growingCounter.batch(of: reading)
            }
        return .deliver(batch, progress: .reading(done: 1, of: 1))
    }
}

/// A counter that notifies: what it has gained since the last reading is added to the stored steps of today.
struct GenericLive: LiveSession {
    let countsFromKnown = true
    private let options: GenericOptions
    private var counter: LiveCounter?

    init(_ options: GenericOptions, _ pedometer: Pedometer, known: Int) {
        self.options = options
        // A total without a reading before shows nothing of today.
        let isKnown = options.counting == .today || pedometer.cursor.counter != nil
        counter = isKnown ? LiveCounter(pedometer.cursor, known: known) : nil
    }

    var address: GATTAddress { options.address }

    mutating func steps(after value: [UInt8]) -> Int? { steps(after: value, at: Timestamp(0), utcOffset: 0) }

    mutating func steps(after value: [UInt8], at now: Timestamp, utcOffset: Int) -> Int? {
        guard let value = options.format.decode(value) else { return nil }
        // A value that no day has is a glitch: it must not become the count from which the next one is counted.
        guard options.counting == .total || value <= maximumStepsOfADay else { return nil }
        return counter?.steps(value, on: Day(of: now, utcOffset: utcOffset))
    }
}

/// Calculates steps from two readings of a counter that decreases only by a restart or an overflow.
///
/// The first reading ever gives no steps: they may have been made at any time.
///
/// A reading that is lower than the one before it (a restart), or much too high, may be a glitch. The cursor then keeps
/// both, and the next reading is compared with the one that it can follow by walking; with the usual one if it can
/// follow both.
struct GrowingCounter {
    let cursor: PedometerCursor
    let localTime: LocalTime
    /// One more than the counter's greatest value.
    let modulus: Int
    /// This machine's clock may be wrong (`SessionContext.setsClock`): the next reading has the growth as well.
    var isClockInDoubt = false

    func batch(of reading: CounterReading) -> SampleBatch {
        var result = steps(reading)
        // They belong to the data that this batch makes final.
        result.batch.notices = result.notices
        return result.batch
    }

    func steps(_ reading: CounterReading) -> CounterResult {
        if isClockInDoubt, cursor.counter != nil { return CounterResult() }
        if let past = cursor.withoutFuture(of: reading) {
            return GrowingCounter(cursor: past, localTime: localTime, modulus: modulus).steps(reading)
        }
        guard let last = cursor.counter else {
            let batch = SampleBatch(cursor: PedometerCursor(readThrough: reading.at, counter: reading))
            return CounterResult(batch: batch, notices: [.countingStarted])
        }
        // Our own clock was put back: wait until it has caught up.
        guard reading.at > last.at else { return CounterResult() }
        if let other = cursor.alternative, other.at < reading.at, !isUsual(growth(from: last, to: reading)),
            isUsual((reading.value - other.value, TimeSpan(other.at, reading.at)))
        {
            return steps(reading, insteadOf: last, after: other)
        }
        var result = CounterResult()
        var steps = reading.value - last.value
        if steps < 0 {
            // A change from the last quarter of its range into the first one is an overflow. Any other decrease is a
            // restart: what it counted between the last reading and the restart is lost.
            let hasOverflowed = last.value >= modulus / 4 * 3 && reading.value < modulus / 4
            steps = hasOverflowed ? steps + modulus : reading.value
            if !hasOverflowed { result.notices.append(.counterRestarted) }
        }
        let isWhole = !result.notices.contains(.counterRestarted)
        credit.add(steps, TimeSpan(last.at, reading.at), reading, isWhole: isWhole, to: &result)
        if !isWhole { result.batch.cursor?.alternative = last }
        if result.batch.cursor == nil {
            result.batch.cursor = cursor
            result.batch.cursor?.alternative = reading
        }
        return result
    }

    private var credit: CounterCredit { CounterCredit(localTime: localTime, clockOffset: nil) }

    /// The last reading was a glitch, or the counter has jumped after it: this one goes on from the other one.
    private func steps(_ reading: CounterReading, insteadOf last: CounterReading, after other: CounterReading)
        -> CounterResult
    {
        var result = CounterResult()
        // What was made before a jump, since the last reading, is not known.
        if other.at > last.at { result.notices.append(.counterRestarted) }
        credit.add(reading.value - other.value, TimeSpan(other.at, reading.at), reading, to: &result)
        return result
    }

    /// A fall counts as a restart, or an overflow.
    private func growth(from last: CounterReading, to reading: CounterReading) -> (steps: Int, span: TimeSpan) {
        let steps = reading.value - last.value
        return (steps < 0 ? reading.value : steps, TimeSpan(last.at, reading.at))
    }

    /// Whether a person can well have made so many steps: as a mean of hours with pauses one step in two seconds, and
    /// two hours' worth in any case.
    private func isUsual(_ growth: (steps: Int, span: TimeSpan)) -> Bool {
        growth.steps >= 0 && growth.steps <= max(growth.span.length, 7_200) / 2
            && CounterCredit.isPlausible(growth.steps, growth.span)
    }
}

extension BluetoothUUID {
    /// The UUID that an option names.
    static func option(_ name: String, _ text: String) throws(PedometerError) -> BluetoothUUID {
        guard let uuid = BluetoothUUID(text) else {
            throw .badOption(
                name, value: text, expected: "a Bluetooth UUID, such as 2a19 or 00030001-78fc-48fe-8e23-433b3a1942d0")
        }
        return uuid
    }
}
