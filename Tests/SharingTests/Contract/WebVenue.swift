import Synchronization
import WebTestSupport

/// A web service for tests: stores what it receives, and refuses what it must not accept.
protocol WebService: AnyObject, Sendable {
    func answer(to request: ReceivedRequest) -> Answer
    var held: [HeldDay] { get }
    /// Whether a request delivers a day or only asks for something.
    func isDelivery(_ request: ReceivedRequest) -> Bool
}

extension WebService {
    func isDelivery(_ request: ReceivedRequest) -> Bool { request.method != "GET" }
}

/// A web service on loopback that misbehaves on demand.
final class WebVenue: Venue {
    let service: any WebService
    let server: LoopbackServer
    let keys: String
    private let overrides: AnswerOverrides

    /// Answers that replace those of the service.
    private final class AnswerOverrides: Sendable {
        let deliveries = Mutex<Answer?>(nil)
        let questions = Mutex<Answer?>(nil)
        let change = Mutex<@Sendable (Answer) -> Answer>({ $0 })
    }

    /// - Parameter keys: returns the keys of the destination's table for the address of the service.
    init(_ service: any WebService, keys: (String) -> String) throws {
        let overrides = AnswerOverrides()
        let server = try LoopbackServer.start { request in
            let answer =
                service.isDelivery(request)
                ? overrides.deliveries.withLock(\.self) : overrides.questions.withLock(\.self)
            if let answer { return answer }
            let change = overrides.change.withLock { $0 }
            return change(service.answer(to: request))
        }
        (self.service, self.server, self.overrides, self.keys) = (service, server, overrides, keys(server.url))
    }

    /// From now on, answers every delivery like this; nil for the service's own answers.
    func answerDeliveries(_ answer: Answer?) { overrides.deliveries.withLock { $0 = answer } }

    /// From now on, answers every request like this; nil for the service's own answers.
    func answerAll(_ answer: Answer?) {
        overrides.deliveries.withLock { $0 = answer }
        overrides.questions.withLock { $0 = answer }
    }

    /// From now on, changes the service's own answers.
    func changeAnswers(_ change: @escaping @Sendable (Answer) -> Answer) { overrides.change.withLock { $0 = change } }

    func held() -> [HeldDay] { service.held }

    /// Without requests that open a WebSocket: its messages are not requests.
    func sent() -> [String] {
        server.requests.filter { $0.header("Upgrade") == nil }.map { WebText.normal($0.description) }
    }

    func announced(_ preview: String) -> [String] { WebText.requests(in: preview).map(WebText.normal) }

    func close() { server.stop() }
}
