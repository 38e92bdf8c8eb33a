import Synchronization
import WebStage

/// A web service for tests: keeps what it is given, and declines what it should not take.
protocol WebService: AnyObject, Sendable {
    func answer(to request: ReceivedRequest) -> Answer
    var held: [HeldDay] { get }
    /// Whether a request brings a day, or only asks something.
    func isDelivery(_ request: ReceivedRequest) -> Bool
}

extension WebService {
    func isDelivery(_ request: ReceivedRequest) -> Bool { request.method != "GET" }
}

/// A web service on loopback that misbehaves when told.
final class WebVenue: Venue {
    let service: any WebService
    let server: LoopbackServer
    let keys: String
    private let trouble: Trouble

    /// What it does instead of what it should.
    private final class Trouble: Sendable {
        let deliveries = Mutex<Answer?>(nil)
        let questions = Mutex<Answer?>(nil)
    }

    /// - Parameter keys: of the destination's table, by the address of the service.
    init(_ service: any WebService, keys: (String) -> String) throws {
        let trouble = Trouble()
        let server = try LoopbackServer.start { request in
            let answer = service.isDelivery(request) ? trouble.deliveries.withLock(\.self) : trouble.questions.withLock(\.self)
            return answer ?? service.answer(to: request)
        }
        (self.service, self.server, self.trouble, self.keys) = (service, server, trouble, keys(server.url))
    }

    /// From now on every delivery is answered like this; nil for as it should be.
    func answerDeliveries(_ answer: Answer?) { trouble.deliveries.withLock { $0 = answer } }

    /// From now on every request is answered like this; nil for as it should be.
    func answerAll(_ answer: Answer?) {
        trouble.deliveries.withLock { $0 = answer }
        trouble.questions.withLock { $0 = answer }
    }

    func held() -> [HeldDay] { service.held }

    func sent() -> [String] { server.requests.map { WebText.normal($0.description) } }

    func announced(_ preview: String) -> [String] { WebText.requests(in: preview).map(WebText.normal) }

    func close() { server.stop() }
}
