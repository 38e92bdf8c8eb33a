internal import StepDomain

/// A line of the table that describes a protocol of requests and answers: a request, the meaning of its answer, and
/// what comes of it.
struct ExchangeStep<Reading: TableReading>: Sendable {
    typealias Request = @Sendable (inout Reading, Timestamp) -> ProtocolExchange?
    typealias Decoder = @Sendable (inout Reading, [UInt8], Timestamp) -> ExchangeProgress
    typealias End = @Sendable (inout Reading, ExchangeEnd, Timestamp) -> SampleBatch?

    fileprivate let request: Request
    fileprivate let decode: Decoder
    let begin: @Sendable (inout Reading) -> Void
    fileprivate let end: End
    fileprivate let linkLost: @Sendable (inout Reading, Timestamp) -> SampleBatch?
    /// The steps between it and its repetition; nil if it is not repeated.
    private(set) fileprivate var between: [ExchangeStep]?

    /// - Parameters:
    ///   - request: nil leaves the step out.
    ///   - decode: as `ExchangeProtocol.receive`; the others as the functions with their names.
    init(
        _ request: @escaping Request, decode: @escaping Decoder = { _, _, _ in .other },
        begin: @escaping @Sendable (inout Reading) -> Void = { _ in }, end: @escaping End = { _, _, _ in nil },
        linkLost: @escaping @Sendable (inout Reading, Timestamp) -> SampleBatch? = { _, _ in nil }
    ) {
        (self.request, self.decode, self.begin, self.end, self.linkLost) = (request, decode, begin, end, linkLost)
    }

    /// A step that is always taken.
    init(
        _ exchange: ProtocolExchange, decode: @escaping Decoder,
        begin: @escaping @Sendable (inout Reading) -> Void = { _ in }, end: @escaping End = { _, _, _ in nil },
        linkLost: @escaping @Sendable (inout Reading, Timestamp) -> SampleBatch? = { _, _ in nil }
    ) {
        self.init({ _, _ in exchange }, decode: decode, begin: begin, end: end, linkLost: linkLost)
    }

    /// The step again and again, until it has no request; the others after each time.
    func repeated(followedBy others: [ExchangeStep]) -> ExchangeStep {
        var step = self
        step.between = others
        return step
    }

    /// Sets the clock to local time, unless this machine's clock is in doubt. What the pedometer holds is stored by
    /// then: it has to be read by the clock that recorded it.
    ///
    /// - Parameters:
    ///   - nearMidnight: false for a pedometer whose steps of today that could set to zero.
    ///   - decode: calls `confirmClock` when the clock is set; nil for a pedometer that confirms nothing.
    static func clock(
        nearMidnight: Bool = true, _ request: @escaping @Sendable (Reading, DeviceClock) -> ProtocolExchange,
        decode: Decoder? = nil
    ) -> ExchangeStep {
        ExchangeStep { reading, now in
            let context = reading.context
            guard context.setsClock, nearMidnight || ClockCorrection.isSafe(at: now, context.localTime) else {
                return nil
            }
            return request(reading, reading.table.clock.begin(at: now, context.localTime))
        } decode: { reading, bytes, now in
            decode?(&reading, bytes, now) ?? .other
        } end: { reading, _, _ in
            if decode == nil { reading.confirmClock() }
            return nil
        }
    }
}

/// The steps that a reading has still to take, and what all readings have.
struct ExchangeTable<Reading: TableReading>: Sendable {
    let context: SessionContext
    /// Whether the reading only shows that the pedometer answers.
    let isProbe: Bool
    fileprivate var left: [ExchangeStep<Reading>]
    /// The step that is being taken.
    fileprivate(set) var present: ExchangeStep<Reading>?
    fileprivate var clock = ClockSetter()
    var report = SessionReport()

    /// - Parameters:
    ///   - probe: the first steps, which are all that a probe takes.
    ///   - rest: the others of a reading.
    init(_ context: SessionContext, isProbe: Bool, _ probe: [ExchangeStep<Reading>], _ rest: [ExchangeStep<Reading>]) {
        self.context = context
        self.isProbe = isProbe
        left = isProbe ? probe : probe + rest
    }
}

/// A protocol that is a table of steps, in their order.
protocol TableReading: ExchangeProtocol {
    var table: ExchangeTable<Self> { get set }
}

extension TableReading {
    typealias Step = ExchangeStep<Self>

    var context: SessionContext { table.context }
    var isProbe: Bool { table.isProbe }
    var report: SessionReport {
        get { table.report }
        set { table.report = newValue }
    }

    /// The pedometer's clock is set.
    mutating func confirmClock() {
        table.clock.confirm()
        report.clockSet = table.clock.confirmed
    }

    mutating func next(at now: Timestamp) -> ProtocolExchange? {
        while !table.left.isEmpty {
            let step = table.left.removeFirst()
            guard let exchange = step.request(&self, now) else { continue }
            if let between = step.between { table.left = between + [step] + table.left }
            table.present = step
            return exchange
        }
        return nil
    }

    mutating func begin(at now: Timestamp) { table.present?.begin(&self) }

    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress {
        table.present?.decode(&self, bytes, now) ?? .other
    }

    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch? { table.present?.end(&self, end, now) }

    mutating func linkLost(at now: Timestamp) -> SampleBatch? { table.present?.linkLost(&self, now) }
}
