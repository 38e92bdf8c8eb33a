internal import StepDomain

/// One request of a protocol of requests and answers.
struct ProtocolExchange: Hashable {
    enum Request: Hashable {
        case write([UInt8], to: GATTAddress)
        case read(GATTAddress)
        /// Skipped if there is no such characteristic, or it cannot be read.
        case readIfPresent(GATTAddress)
    }

    enum Answer: Hashable {
        /// Without an answer the reading fails.
        case required
        /// The reading continues without one.
        case optional
        /// No answer is sent.
        case none
    }

    var request: Request
    /// What is requested, for an error: `the steps of today`.
    var name: String
    var answer = Answer.required
    /// Seconds of silence after which it is sent again, or given up.
    var timeout = 5.0
    var attempts = 3
    /// Seconds of silence that end an answer without an end of its own, once a part of it has arrived; nil if the
    /// protocol tells the end.
    var quiet: Double?
    /// Written when the answer is complete and wrong, before it is requested again: some pedometers wait for it.
    var rejection: [UInt8]?
}

extension ProtocolExchange {
    /// A request that is waited for briefly, and sent only once, unless its answer is required.
    init(writing bytes: [UInt8], to address: GATTAddress, name: String, answer: Answer, rejection: [UInt8]? = nil) {
        let isRequired = answer == .required
        self.init(
            request: .write(bytes, to: address), name: name, answer: answer, timeout: isRequired ? 5 : 2,
            attempts: isRequired ? 3 : 1, rejection: rejection)
    }
}

/// What a packet means to the present exchange.
enum ExchangeProgress: Hashable {
    /// Part of the answer.
    case more
    /// The answer is complete.
    case done
    /// Not part of this answer. It does not extend the wait.
    case other
    /// It cannot be decoded. It does not extend the wait.
    case undecodable
    /// The answer is complete and wrong, such as by its checksum: it is requested again.
    case again
    case failed(PedometerError)
}

/// How an exchange ended.
enum ExchangeEnd: Hashable {
    case complete
    /// No packet of an answer arrived, or there is no such characteristic.
    case silent
    /// Part of an answer arrived, or one that is wrong.
    case incomplete
}

/// The protocol of a pedometer, as far as it differs from others: the requests, in order, and the meaning of their
/// answers.
protocol ExchangeProtocol: Sendable {
    /// The characteristics that notify; all of one service. Empty if values are only read.
    var notifying: [GATTAddress] { get }
    /// The next request; nil when the reading is at its end.
    mutating func next(at now: Timestamp) -> ProtocolExchange?
    /// The request is being sent, perhaps again: an incomplete answer is dropped.
    mutating func begin(at now: Timestamp)
    mutating func receive(_ bytes: [UInt8], at now: Timestamp) -> ExchangeProgress
    /// The present exchange has ended. Returns what is to be stored now, if anything.
    mutating func end(_ end: ExchangeEnd, at now: Timestamp) -> SampleBatch?
    /// The link has ended during a request or its answer. Returns what is to be stored of it; nil for nothing. Not
    /// called for an answer that is wrong.
    mutating func linkLost(at now: Timestamp) -> SampleBatch?
    /// The report at the end of the reading.
    var report: SessionReport { get }
    /// Requests that have been answered, and all that are planned.
    var progress: ReadProgress { get }
}

extension ExchangeProtocol {
    mutating func linkLost(at now: Timestamp) -> SampleBatch? { nil }
    var progress: ReadProgress { .reading(done: 1, of: 1) }
}

/// A reading by requests and answers: it repeats what is not answered, bounds what arrives, and leaves the meaning to
/// the protocol.
struct ExchangeSession<Protocol: ExchangeProtocol>: PedometerSession {
    private enum Stage { case subscribing, waiting, rejecting, settling, reading, sending, delivering }

    /// No answer of these protocols is longer: 28 days of a ring that sends a packet for each quarter of an hour,
    /// twice.
    private static var maximumPackets: Int { 6_000 }

    /// Seconds without a packet after which the rest of a wrong answer is not expected any more.
    private static var quiet: Double { 1 }
    /// The time after which the request is sent again although packets still arrive.
    private static var maximumRest: Duration { .seconds(10) }
    /// The time after which an answer that still arrives has no end. That of a month takes about two minutes.
    private static var maximumAnswer: Duration { .seconds(600) }

    private(set) var reading: Protocol
    private var stage = Stage.subscribing
    private var exchange: ProtocolExchange?
    private var attempt = 1
    private var packets = 0
    private var undecodable = 0
    private var hasAnswer = false
    /// Reported after the received data was delivered.
    private var failure: PedometerError?
    /// When the present wait began: when the request was sent, or when the last packet of its answer arrived.
    private var waitStart = Duration.zero
    /// When the request was sent.
    private var sent = Duration.zero
    /// Time of the present event. It, `waitStart` and `sent` are times of a clock that is never set.
    private var uptime = Duration.zero

    init(_ reading: Protocol) { self.reading = reading }

    mutating func next(after event: SessionEvent, at now: Timestamp, uptime: Duration) -> SessionAction {
        self.uptime = uptime
        switch (stage, event) {
        case (_, .started):
            let addresses = reading.notifying
            return addresses.isEmpty ? proceed(now) : .subscribeAll(addresses)
        case (.waiting, .linkLost), (.sending, .linkLost):
            guard let batch = reading.linkLost(at: now) else { return .finish(report) }
            return .deliver(batch, progress: reading.progress)
        case (_, .linkLost):
            // Nothing has been asked, or an answer is wrong.
            return .finish(report)
        case (.subscribing, _):
            return proceed(now)
        case (.delivering, _):
            if let failure { return .fail(failure) }
            return proceed(now)
        case (.sending, _):
            guard let exchange, exchange.answer != .none else { return end(.complete, now) }
            stage = .waiting
            return .receive(seconds: exchange.timeout)
        case (.reading, .value(let bytes)):
            switch reading.receive(bytes, at: now) {
            case .failed(let error): return .fail(error)
            case .undecodable, .again, .other:
                undecodable += 1
                return end(.incomplete, now)
            case .more, .done: return end(.complete, now)
            }
        case (.reading, _):
            return end(.silent, now)
        case (.rejecting, _):
            return repeatRequest(now)
        case (.settling, .value):
            packets += 1
            guard packets <= Self.maximumPackets else { return .fail(.undecodable("too many packets")) }
            return uptime - waitStart < Self.maximumRest ? .receive(seconds: Self.quiet) : send(now)
        case (.settling, _):
            return send(now)
        case (.waiting, .value(let bytes)):
            return receive(bytes, now)
        case (.waiting, _):
            return silence(now)
        }
    }

    // MARK: Requests

    private mutating func proceed(_ now: Timestamp) -> SessionAction {
        exchange = reading.next(at: now)
        attempt = 1
        guard exchange != nil else { return .finish(report) }
        return send(now)
    }

    private mutating func send(_ now: Timestamp) -> SessionAction {
        guard let exchange else { return .finish(report) }
        (packets, hasAnswer, waitStart, sent) = (0, false, uptime, uptime)
        reading.begin(at: now)
        switch exchange.request {
        case .write(let bytes, let address):
            stage = .sending
            return .write(bytes, to: address, response: false)
        case .read(let address):
            stage = .reading
            return .read(address)
        case .readIfPresent(let address):
            stage = .reading
            return .readIfPresent(address)
        }
    }

    // MARK: Answers

    private mutating func receive(_ bytes: [UInt8], _ now: Timestamp) -> SessionAction {
        packets += 1
        guard let exchange else { return .finish(report) }
        guard packets <= Self.maximumPackets, uptime - sent <= Self.maximumAnswer else {
            return exchange.answer == .optional ? end(.incomplete, now) : .fail(.undecodable("too many packets"))
        }
        switch reading.receive(bytes, at: now) {
        case .more:
            (hasAnswer, waitStart) = (true, uptime)
            return .receive(seconds: patience(exchange))
        case .done:
            return end(.complete, now)
        case .undecodable:
            undecodable += 1
            return wait(exchange, now)
        case .other:
            return wait(exchange, now)
        case .again:
            hasAnswer = true
            guard let rejection = exchange.rejection, case .write(_, let address) = exchange.request else {
                return repeatRequest(now)
            }
            stage = .rejecting
            return .write(rejection, to: address, response: false)
        case .failed(let error):
            return .fail(error)
        }
    }

    /// After a wrong answer.
    private mutating func repeatRequest(_ now: Timestamp) -> SessionAction {
        guard let exchange, attempt < exchange.attempts else { return end(.incomplete, now) }
        attempt += 1
        // The rest of this answer must not be taken for the next one.
        stage = .settling
        waitStart = uptime
        return .receive(seconds: Self.quiet)
    }

    /// Seconds to wait for the next packet.
    private func patience(_ exchange: ProtocolExchange) -> Double {
        hasAnswer ? exchange.quiet ?? exchange.timeout : exchange.timeout
    }

    private mutating func wait(_ exchange: ProtocolExchange, _ now: Timestamp) -> SessionAction {
        let rest = .seconds(patience(exchange)) - (uptime - waitStart)
        return rest > .zero ? .receive(seconds: rest / .seconds(1)) : silence(now)
    }

    private mutating func silence(_ now: Timestamp) -> SessionAction {
        guard let exchange else { return .finish(report) }
        guard !hasAnswer || exchange.quiet == nil else { return end(.complete, now) }
        guard attempt >= exchange.attempts else {
            attempt += 1
            return send(now)
        }
        return end(hasAnswer ? .incomplete : .silent, now)
    }

    private mutating func end(_ end: ExchangeEnd, _ now: Timestamp) -> SessionAction {
        let batch = reading.end(end, at: now)
        if let exchange, exchange.answer == .required {
            switch end {
            case .complete: break
            case .silent:
                failure = .noAnswer(to: exchange.name, attempts: attempt, seconds: exchange.timeout * Double(attempt))
            case .incomplete:
                failure = .undecodable("the answer to the request for \(exchange.name) was incomplete or wrong")
            }
        }
        if let batch {
            stage = .delivering
            return .deliver(batch, progress: reading.progress)
        }
        if let failure { return .fail(failure) }
        return proceed(now)
    }

    private var report: SessionReport {
        var report = reading.report
        if undecodable > 0 { report.notices.append(.undecodable(frames: undecodable)) }
        return report
    }
}
