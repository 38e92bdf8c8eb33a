import Foundation
import HTTP
import Testing
import WebTestSupport

extension CurlTransport {
    /// A test that waits for a limit sets it short; the defaults are longer than any machine needs.
    static func forTests(
        connect: Duration = .seconds(30), silence: Duration = .seconds(30), whole: Duration = .seconds(50),
        body: Int = 256 * 1024, head: Int = 64 * 1024, authorities: String? = nil
    ) -> CurlTransport {
        let limits = HTTPLimits(connect: connect, silence: silence, whole: whole, body: body, head: head)
        return CurlTransport(userAgent: "istep-tests/1", limits: limits, authorities: authorities)
    }
}

extension LoopbackServer {
    func address(_ target: String = "/") throws -> WebAddress { try WebAddress(url + target) }

    /// A request that may arrive twice.
    func put(_ body: String = "{\"steps\":8123}", _ target: String = "/day") throws -> HTTPRequest {
        HTTPRequest(method: "PUT", url: try address(target), body: Array(body.utf8))
    }

    /// A request that must not arrive twice.
    func post(_ body: String = "{\"steps\":8123}", _ target: String = "/days") throws -> HTTPRequest {
        HTTPRequest(method: "POST", url: try address(target), body: Array(body.utf8))
    }
}

/// Why a request was not answered; nil if it was.
func failure(_ transport: some HTTPTransport, _ request: HTTPRequest) async -> TransportError? {
    do throws(TransportError) {
        _ = try await transport.send(request)
        return nil
    } catch {
        return error
    }
}

/// A directory that exists as long as `body` runs.
func withDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    var template = Array("/tmp/http-tests-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
