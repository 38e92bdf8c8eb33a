internal import StepDomain

/// Reads the one value, and makes of it what the reading before allows.
struct GenericSession: PedometerSession {
    private let options: GenericOptions
    private let context: SessionContext
    private var report = SessionReport()

    init(_ options: GenericOptions, _ context: SessionContext) {
        self.options = options
        self.context = context
    }

    mutating func next(after event: SessionEvent, at now: Timestamp) -> SessionAction {
        switch event {
        case .started:
            return .read(options.address)
        case .value(let bytes):
            guard let value = options.format.decode(bytes) else {
                return .fail(.undecodable("\(bytes.count) bytes where \(options.format) was expected"))
            }
            return deliver(CounterReading(at: now, value: value, utcOffset: context.localTime.utcOffset(now)))
        case .done:
            return .finish(report)
        case .silence:
            return .fail(.noAnswer(to: "a read of its steps", seconds: 0))
        }
    }

    private mutating func deliver(_ reading: CounterReading) -> SessionAction {
        let reckoning = CounterReckoning(
            cursor: context.pedometer.cursor, localTime: context.localTime, modulus: options.format.modulus)
        let result = switch options.counting {
        case .today: reckoning.stepsOfToday(reading)
        case .total: reckoning.stepsInAll(reading)
        }
        report.notices = result.notices
        return .deliver(result.batch, progress: .reading(done: 1, of: 1))
    }
}
