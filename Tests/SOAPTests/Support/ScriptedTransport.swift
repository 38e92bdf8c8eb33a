import HTTP
import Synchronization

/// Returns the answers of the test, and stores the requests.
final class ScriptedTransport: HTTPTransport {
    typealias Turn = Result<HTTPResponse, TransportError>

    private struct State {
        var turns: [Turn]
        var requests: [HTTPRequest] = []
    }

    private let state: Mutex<State>

    init(_ turns: Turn...) { state = Mutex(State(turns: turns)) }

    convenience init(_ status: Int, _ body: String) { self.init(.success(HTTPResponse(status: status, body: Array(body.utf8)))) }

    var requests: [HTTPRequest] { state.withLock(\.requests) }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let turn = state.withLock { state -> Turn in
            state.requests.append(request)
            return state.turns.isEmpty ? .failure(.notSent(reason: "nobody wrote down an answer")) : state.turns.removeFirst()
        }
        return try turn.get()
    }
}
