/// The way to web services.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status. Redirects are not followed: the answer with its status 3xx
    /// is returned.
    ///
    /// Cancelling the task ends the request at once.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
