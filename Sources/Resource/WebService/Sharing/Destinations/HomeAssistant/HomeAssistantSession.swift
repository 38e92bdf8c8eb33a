internal import Foundation
internal import HTTP
internal import StepDomain
internal import Support

/// A session of Home Assistant's WebSocket API, logged in: a client that knows nothing of days and statistics.
///
/// Source: https://developers.home-assistant.io/docs/api/websocket
struct HomeAssistantSession {
    /// Such as `2024.3.3`.
    private(set) var version = ""
    private let socket: any WebSocket
    private let url: WebAddress
    private let token: Secret
    private var lastID = 0
    /// A command was sent that changes data in Home Assistant: without an answer it may have been executed.
    private var hasChanged = false
    /// Since the session was opened. The times of the network hold for one message: many of them could take hours.
    private let elapsed: @Sendable () -> Duration
    private let limit: Duration

    /// Twice the time that a recorder gets to store a day.
    static let standardLimit = Duration.seconds(120)

    static func address(_ url: WebAddress) -> WebAddress { url.appending(path: ["api", "websocket"]) }

    /// Opens the conversation and logs in.
    ///
    /// - Parameter limit: for the whole session. It is checked before each message, so that the last one can exceed it
    ///   by its own time limit.
    static func open(
        _ transport: any WebSocketTransport, _ url: WebAddress, token: Secret, limit: Duration = standardLimit,
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws(ShareFailure) -> HomeAssistantSession {
        let elapsed = stopwatch(clock)
        let socket: any WebSocket
        do {
            socket = try await transport.open(address(url))
        } catch {
            throw failure(error, url, token, hasChanged: false)
        }
        var session = HomeAssistantSession(socket, url, token, elapsed, limit)
        try await cleaningUpOnFailure({ await socket.close() }) { () async throws(ShareFailure) in
            try await session.logIn()
        }
        return session
    }

    private init(
        _ socket: any WebSocket, _ url: WebAddress, _ token: Secret, _ elapsed: @escaping @Sendable () -> Duration,
        _ limit: Duration
    ) {
        (self.socket, self.url, self.token, self.elapsed, self.limit) = (socket, url, token, elapsed, limit)
    }

    private static func stopwatch<C: Clock>(_ clock: C) -> @Sendable () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    func close() async { await socket.close() }

    private struct Greeting: Decodable {
        var type: String
        var ha_version: String?
        var message: String?
    }

    private struct LogIn: Encodable {
        var type = "auth"
        var access_token: String
    }

    private mutating func logIn() async throws(ShareFailure) {
        let greeting = try await receive(Greeting.self)
        guard greeting.type == "auth_required" else { throw unexpected("it did not request authentication") }
        version = greeting.ha_version ?? ""
        try await send(LogIn(access_token: token.reveal()))
        let answer = try await receive(Greeting.self)
        switch answer.type {
        case "auth_ok": return
        case "auth_invalid":
            throw ShareFailure(
                .credentials, "\(url.host) refused the token\(words(answer.message))",
                advice: "Create a new long-lived access token (Home Assistant, your profile, Security).")
        default: throw unexpected("it neither accepted nor rejected the token")
        }
    }

    // MARK: Commands

    private struct Numbered<Body: Encodable>: Encodable {
        let id: Int
        let body: Body

        private enum Key: String, CodingKey { case id }

        func encode(to encoder: any Encoder) throws {
            try body.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(id, forKey: .id)
        }
    }

    private struct Header: Decodable {
        struct Problem: Decodable {
            var code: String?
            var message: String?
        }

        var id: Int?
        var type: String?
        var success: Bool?
        var error: Problem?
    }

    private struct Answer<Result: Decodable>: Decodable { var result: Result }

    /// The result of a command that returns nothing.
    struct NoResult: Decodable { init(from decoder: any Decoder) {} }

    /// Maximum messages that do not answer the command; istep never requests such messages.
    private static let maximumUnrelatedMessages = 100

    /// - Parameter changes: whether the command changes data in Home Assistant.
    mutating func ask<Result: Decodable>(
        _ command: some Encodable, for form: Result.Type, changes: Bool = false
    ) async throws(ShareFailure) -> Result {
        try checkTime()
        lastID += 1
        hasChanged = hasChanged || changes
        try await send(Numbered(id: lastID, body: command))
        for _ in 0..<Self.maximumUnrelatedMessages {
            try checkTime()
            let text = try await receiveText()
            guard let header = decode(Header.self, text) else { throw unexpected("its answer cannot be decoded") }
            guard header.id == lastID, header.type == "result" else { continue }
            guard header.success == true else { throw refusal(header.error) }
            guard let answer = decode(Answer<Result>.self, text) else {
                throw unexpected("its answer is not what was asked for")
            }
            return answer.result
        }
        throw unexpected("it did not answer")
    }

    // MARK: Messages

    private func send(_ message: some Encodable) async throws(ShareFailure) {
        do {
            try await socket.send(json(message))
        } catch {
            throw Self.failure(error, url, token, hasChanged: hasChanged)
        }
    }

    private func receive<Form: Decodable>(_ form: Form.Type) async throws(ShareFailure) -> Form {
        guard let message = decode(form, try await receiveText()) else {
            throw unexpected("its message cannot be decoded")
        }
        return message
    }

    private func receiveText() async throws(ShareFailure) -> String {
        do {
            return try await socket.receive()
        } catch {
            throw Self.failure(error, url, token, hasChanged: hasChanged)
        }
    }

    private func decode<Form: Decodable>(_ form: Form.Type, _ text: String) -> Form? {
        try? JSONDecoder().decode(form, from: Data(text.utf8))
    }

    // MARK: Failures

    private func words(_ text: String?) -> String {
        // Like the messages of an HTTP server: in one line, limited, without the token.
        let words = HTTPResponse.line(of: text ?? "", hiding: [token])
        return words.isEmpty ? "" : ": \(words)"
    }

    private func checkTime() throws(ShareFailure) {
        guard elapsed() >= limit else { return }
        throw ShareFailure(
            hasChanged ? .unanswered : .unreachable, "\(url.host) took more than \(limit.components.seconds) s")
    }

    private func unexpected(_ what: String) -> ShareFailure {
        ShareFailure(
            hasChanged ? .unanswered : .unreachable, "\(url.host) does not answer like Home Assistant: \(what)",
            advice: ShareFailure.somethingElse)
    }

    private func refusal(_ problem: Header.Problem?) -> ShareFailure {
        let reason = "\(url.host) refused a command\(words(problem?.message ?? problem?.code))"
        switch problem?.code {
        case "unauthorized": return .notAdministrator(reason)
        case "unknown_command":
            return ShareFailure(
                .misconfigured, reason, advice: "Enable `recorder` in Home Assistant, or set `statistics = false`.")
        case "invalid_format", "home_assistant_error", "not_allowed": return ShareFailure(.rejected, reason)
        default: return ShareFailure(hasChanged ? .unanswered : .unreachable, reason)
        }
    }

    private static func failure(_ error: WebSocketError, _ url: WebAddress, _ token: Secret, hasChanged: Bool)
        -> ShareFailure
    {
        let lost: ShareFailure.Kind = hasChanged ? .unanswered : .unreachable
        switch error {
        case .failed: return ShareFailure(lost, error.description)
        case .violation, .closed:
            return ShareFailure(
                lost, token.scrubbed(from: error.description),
                advice: "Check `url`, and any proxy between istep and Home Assistant.")
        case .refused(let response):
            let words = response.words(hiding: [token])
            let reason =
                "\(url.host) opened no WebSocket: it answered \(response.status)\(words.isEmpty ? "" : ": \(words)")"
            switch response.status {
            case 401, 403:
                return ShareFailure(
                    .credentials, reason, advice: "Renew the token, and see whether Home Assistant banned this machine."
                )
            case _ where response.isBusy: return ShareFailure(.busy, reason, retryAfter: response.retryAfter)
            // The sign-in page of a network answers 200 or 302.
            case ..<400, 500...:
                return ShareFailure(
                    .unreachable, reason, advice: ShareFailure.somethingElse,
                    retryAfter: response.retryAfter)
            default:
                return ShareFailure(
                    .misconfigured, reason,
                    advice: "Configure the proxy to pass WebSocket for /api/websocket, or set `statistics = false`.")
            }
        }
    }
}

extension ShareFailure {
    static func notAdministrator(_ reason: String) -> ShareFailure {
        ShareFailure(
            .credentials, "\(reason): only an administrator may set sensors and import statistics",
            advice: "Use the token of an administrator.")
    }
}
