import Foundation
import HTTP
import Testing

/// Servers in Python, whose scripts are in the folder `Servers`.
enum PythonServer {
    /// Debian's Python, which finds Debian's packages.
    static let debian = "/usr/bin/python3"

    /// The Python with mastodon-mock.
    static let withMastodon = installed("mastodon-mock")

    /// The Python with a server, as installed by `.ci/packages --full`.
    static func installed(_ name: String) -> String {
        let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        return folder.appendingPathComponent(".build/test-servers/\(name)/bin/python").path
    }

    /// - Returns: the server, which ends when it is released, and its URL.
    static func start(_ script: String, by python: String, _ arguments: [String] = []) async throws -> (
        process: ServerProcess, url: String
    ) {
        let path = try #require(Bundle.module.path(forResource: script, ofType: "py", inDirectory: "Servers"))
        let process = try await ServerProcess.start(python) { _ in
            ["-B", path] + arguments
        } until: {
            $0.hasPrefix("ready ")
        }
        return (process, "http://127.0.0.1:\(process.readiness.dropFirst("ready ".count))")
    }

    /// The answer to a request of the test itself.
    static func ask(
        _ method: String, _ url: String, headers: [HTTPRequest.Header] = [], body: String? = nil
    ) async throws -> HTTPResponse {
        let request = HTTPRequest(
            method: method, url: try WebAddress(url), headers: headers, body: body.map { Array($0.utf8) })
        return try await CurlTransport(userAgent: "istep/test").send(request)
    }
}
