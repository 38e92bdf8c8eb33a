/// A request and who waits for its answer.
struct Exchange: Sendable {
    typealias Outcome = Result<HTTPResponse, TransportError>

    let request: HTTPRequest
    let cancellation: Cancellation
    let continuation: CheckedContinuation<Outcome, Never>

    func finish(_ outcome: Outcome) { continuation.resume(returning: outcome) }
}
