import Foundation
import HTTP
import Testing
import WebTestSupport

/// Debian's lighttpd with its WebDAV module, on a loopback port, with an empty folder.
struct RealWebDAV {
    let process: ServerProcess
    let url: String

    static func start() async throws -> RealWebDAV {
        let address = try UnusedAddress()
        let process = try await ServerProcess.start("/usr/sbin/lighttpd") { directory in
            let root = directory.appendingPathComponent("root")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            try Data("anna:geheim\n".utf8).write(to: directory.appendingPathComponent("users"))
            let configuration = """
                server.document-root = "\(root.path)"
                server.bind = "\(address.host)"
                server.port = \(address.port)
                server.modules = ( "mod_auth", "mod_authn_file", "mod_webdav" )
                auth.backend = "plain"
                auth.backend.plain.userfile = "\(directory.path)/users"
                auth.require = ( "" => ( "method" => "basic", "realm" => "dav", "require" => "valid-user" ) )
                webdav.activate = "enable"
                $HTTP["url"] =~ "^/closed/" { webdav.is-readonly = "enable" }
                """
            let file = directory.appendingPathComponent("lighttpd.conf")
            try configuration.write(to: file, atomically: true, encoding: .utf8)
            return ["-D", "-f", file.path]
        } until: {
            $0.contains("server started")
        }
        return RealWebDAV(process: process, url: "http://\(address)")
    }

    /// The content of a file; nil if it cannot be read.
    func text(_ path: String) async throws -> String? {
        let header = HTTPRequest.Header("Authorization", "Basic " + Data("anna:geheim".utf8).base64EncodedString())
        let request = HTTPRequest(method: "GET", url: try WebAddress(url + path), headers: [header])
        let response = try await CurlTransport(userAgent: "istep/test").send(request)
        return response.status == 200 ? response.text : nil
    }
}
