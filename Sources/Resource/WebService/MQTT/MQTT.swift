internal import Support
internal import Synchronization

/// Publishing by MQTT 5, or 3.1.1 with brokers that do not know 5.
public enum MQTT {
    /// The most messages of one call, each of which needs an identifier of 16 bits.
    public static let maximumMessages = 65_535

    /// Connects, publishes all messages in their order, waits until the broker acknowledged each, and disconnects.
    ///
    /// With MQTT 5 an acknowledgement means that the broker accepted the message. With 3.1.1 brokers also acknowledge
    /// messages that they discard because the user may not write the topic; this cannot be detected.
    /// - Parameters:
    ///   - timeout: maximum time without progress: until the broker's first answer, then from one acknowledgement to
    ///     the next.
    ///   - whole: maximum time for all of it.
    /// - Throws: `MQTTError`; its reasons never have a password in them.
    public static func publish(
        _ messages: [MQTTMessage], to broker: MQTTBroker, timeout: Duration = .seconds(30),
        whole: Duration = .seconds(120)
    ) async throws(MQTTError) {
        guard messages.count <= maximumMessages else {
            throw .refused(
                credentials: false, reason: "too many messages: \(messages.count) (limit \(maximumMessages))")
        }
        try await carryOut(
            Publication(messages: messages, isRetained: messages.contains(where: \.isRetained)), broker, timeout, whole)
    }

    /// Connects, logs in and disconnects, to check whether the broker answers and supports what is published to it.
    /// - Parameter retained: whether the messages will be retained ones.
    /// - Throws: `MQTTError`.
    public static func check(
        _ broker: MQTTBroker, retained: Bool = true, timeout: Duration = .seconds(30)
    ) async throws(MQTTError) {
        try await carryOut(Publication(messages: [], isRetained: retained), broker, timeout, .seconds(120))
    }

    private static func carryOut(
        _ publication: Publication, _ broker: MQTTBroker, _ timeout: Duration, _ whole: Duration
    ) async throws(MQTTError) {
        let exchange = MQTTExchange()
        let watch = Task {
            while let left = exchange.expire(after: timeout, whole: whole) { try await Task.sleep(for: left) }
        }
        defer { watch.cancel() }
        let outcome = await withTaskCancellationHandler {
            await exchange.outcome {
                BrokerThread(publication: publication, broker: broker, exchange: exchange).start()
            }
        } onCancel: {
            exchange.cancel()
        }
        try outcome.mapError { $0.at(broker) }.get()
    }
}

/// What is published on a connection.
struct Publication: Sendable {
    let messages: [MQTTMessage]
    /// Whether the broker must support retained messages.
    let isRetained: Bool
}

/// A message for a topic. It is always published with QoS 1: the broker acknowledges it.
public struct MQTTMessage: Hashable, Sendable {
    /// The topic, such as `istep/anna/steps`.
    public let topic: String
    /// The content, of any kind; with `isRetained`, an empty one removes the retained message of the topic.
    public let payload: [UInt8]
    /// Whether the broker keeps it for later subscribers, in place of the message that it kept before.
    public let isRetained: Bool

    /// The largest payload, in bytes. Far below the 256 MiB of the format, and far above what a day's summary takes.
    public static let largestPayload = 256 * 1024

    /// Why a message is not valid.
    public enum Problem: Error, Hashable, Sendable {
        /// The topic is empty, or longer than 65,535 bytes.
        case topicLength(Int)
        /// The topic has a wildcard (`+`, `#`) or a control character in it.
        case topicCharacter(String)
        /// The topic begins with `$`: those are the broker's own.
        case reservedTopic(String)
        /// The payload is larger than `largestPayload`.
        case payloadSize(Int)
    }

    /// - Throws: `Problem`. What a topic may be: MQTT 5.0, sections 4.7.1.1, 4.7.2, 4.7.3 and 1.5.4. Format characters
    ///   are permitted there.
    public init(topic: String, payload: [UInt8], isRetained: Bool = true) throws(Problem) {
        guard (1...65_535).contains(topic.utf8.count) else { throw .topicLength(topic.utf8.count) }
        let bad = topic.unicodeScalars.contains { $0 == "+" || $0 == "#" || $0.properties.generalCategory == .control }
        if bad { throw .topicCharacter(topic) }
        if topic.hasPrefix("$") { throw .reservedTopic(topic) }
        guard payload.count <= Self.largestPayload else { throw .payloadSize(payload.count) }
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

extension MQTTMessage.Problem: CustomStringConvertible {
    /// What is wrong, and what to do, in one line.
    public var description: String {
        switch self {
        case .topicLength(0): "the topic is empty: name one, such as istep/steps"
        case .topicLength(let count): "the topic is too long: \(count) bytes (limit 65535)"
        case .topicCharacter(let topic):
            "the topic \(quoted(String(topic.prefix(100)))) contains +, # or a control character: leave them out"
        case .reservedTopic(let topic):
            "the topic \(quoted(String(topic.prefix(100)))) begins with $, which is the broker's own: use another"
        case .payloadSize(let count): "the message is too long: \(count) bytes (limit \(MQTTMessage.largestPayload))"
        }
    }
}

/// Why messages were not published, or may not have been.
public enum MQTTError: Error, Hashable, Sendable {
    /// No message reached the broker, or it answered that it accepted none; a retry may succeed.
    case notSent(reason: String)
    /// Messages were sent, and not all were acknowledged: the broker may have any of them.
    case unanswered(reason: String)
    /// The broker does not accept this, and a retry would not help. `credentials`: because of the user.
    case refused(credentials: Bool, reason: String)
    /// The same of one of several messages: the broker has accepted others, or may have.
    case refusedInPart(credentials: Bool, reason: String)
    /// libmosquitto is missing, or is not the expected library. Nothing was sent.
    case libraryMissing(reason: String)
    /// The task was cancelled, before any message was sent or after.
    case cancelled(wasSent: Bool)
}

extension MQTTError: CustomStringConvertible {
    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .notSent(let reason): "nothing was published: \(reason)"
        case .unanswered(let reason): "it is not known whether everything was published: \(reason)"
        case .refused(credentials: true, let reason), .refusedInPart(credentials: true, let reason):
            "the broker refused the user: \(reason)"
        case .refused(credentials: false, let reason), .refusedInPart(credentials: false, let reason):
            "the broker refused: \(reason)"
        case .libraryMissing(let reason): "libmosquitto cannot be used: \(reason)"
        case .cancelled(wasSent: false): "cancelled before anything was published"
        case .cancelled(wasSent: true): "cancelled while messages were being published; the broker may have some"
        }
    }

    /// What the user can do next.
    public var advice: String {
        switch self {
        case .notSent: "Check that the broker runs and can be reached under this name and port."
        case .unanswered: "Retained messages can be published again: the last one counts."
        case .refused(credentials: true, _), .refusedInPart(credentials: true, _):
            "Check the user's name and password, and which topics the broker lets this user write."
        case .refused(credentials: false, _), .refusedInPart(credentials: false, _):
            "Change what the broker names, here or in its configuration."
        case .libraryMissing: "Install it: `sudo apt-get install libmosquitto1`"
        case .cancelled: "Run it again."
        }
    }
}

extension MQTTError {
    /// Adds the broker to the reason.
    func at(_ broker: MQTTBroker) -> MQTTError {
        switch self {
        case .notSent(let reason): .notSent(reason: "\(broker): \(reason)")
        case .unanswered(let reason): .unanswered(reason: "\(broker): \(reason)")
        case .refused(let credentials, let reason): .refused(credentials: credentials, reason: "\(broker): \(reason)")
        case .refusedInPart(let credentials, let reason):
            .refusedInPart(credentials: credentials, reason: "\(broker): \(reason)")
        case .libraryMissing, .cancelled: self
        }
    }
}

/// State that a waiting task and a working thread share: the outcome, as reported by the first of them.
///
/// The thread may be blocked by a name server or a network long after the task has continued; it checks this state
/// before it sends anything.
final class MQTTExchange: Sendable {
    typealias Outcome = Result<Void, MQTTError>

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
        var maySend = false
        var lastProgress = ContinuousClock.now
    }

    private let began = ContinuousClock.now
    private let state = Mutex(State())
    /// Wakes the thread to check the state again.
    let wakeup = Wakeup()

    // MARK: The task

    /// - Parameter start: called unless there is an outcome already.
    func outcome(_ start: () -> Void) async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) } else { start() }
        }
    }

    func cancel() {
        end { .failure(.cancelled(wasSent: $0)) }
    }

    /// Ends the exchange if there was no progress for this long, or if it has taken `whole`.
    /// - Returns: the time that is left to wait; nil if the exchange is over.
    func expire(after limit: Duration, whole: Duration) -> Duration? {
        let wholeLeft = whole - began.duration(to: .now)
        let left = state.withLock { state in
            state.outcome == nil ? limit - state.lastProgress.duration(to: .now) : nil
        }
        guard let left else { return nil }
        if min(left, wholeLeft) > .zero { return min(left, wholeLeft) }
        let isSilent = left <= .zero
        let seconds = brief((isSilent ? limit : whole) / Duration.seconds(1))
        end {
            $0
                ? .failure(
                    .unanswered(
                        reason: isSilent ? "the broker was silent for \(seconds) s" : "it took more than \(seconds) s"))
                : .failure(.notSent(reason: "could not connect to the broker within \(seconds) s"))
        }
        return nil
    }

    // MARK: The thread

    var isOver: Bool { state.withLock { $0.outcome != nil } }

    /// Must be called before the first message is sent.
    /// - Returns: false if it is too late.
    func beginSending() -> Bool {
        state.withLock { state in
            state.maySend = state.outcome == nil
            return state.maySend
        }
    }

    func progress() {
        state.withLock { $0.lastProgress = .now }
    }

    func finish(_ outcome: Outcome) {
        end { _ in outcome }
    }

    private func end(_ outcome: (_ maySend: Bool) -> Outcome) {
        let (continuation, result) = state.withLock { state -> (CheckedContinuation<Outcome, Never>?, Outcome) in
            let result = state.outcome ?? outcome(state.maySend)
            defer { state.continuation = nil }
            state.outcome = result
            return (state.continuation, result)
        }
        wakeup.wake()
        continuation?.resume(returning: result)
    }
}
