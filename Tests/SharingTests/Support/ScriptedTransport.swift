import HTTP
import Synchronization
import Testing

/// A transport that returns the answers of the test, and stores the requests.
final class ScriptedTransport: HTTPTransport {
    private let answers: Mutex<[Result<HTTPResponse, TransportError>]>
    private let sent = Mutex<[HTTPRequest]>([])

    convenience init(_ answers: Result<HTTPResponse, TransportError>...) { self.init(answers) }

    init(_ answers: [Result<HTTPResponse, TransportError>]) { self.answers = Mutex(answers) }

    var requests: [HTTPRequest] { sent.withLock(\.self) }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        sent.withLock { $0.append(request) }
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let answer else {
            Issue.record("sent without an answer written down: \(request.preview)")
            throw .notSent(reason: "no answer written down")
        }
        return try answer.get()
    }
}

extension Result where Success == HTTPResponse, Failure == TransportError {
    static func reply(_ status: Int, _ body: String = "") -> Self {
        .success(HTTPResponse(status: status, body: Array(body.utf8)))
    }
}
