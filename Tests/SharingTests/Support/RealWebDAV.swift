import Foundation
import HTTP
import Support
import Testing
import WebTestSupport

/// Debian's lighttpd with its WebDAV module, or its nginx, on a loopback port, with an empty folder.
struct RealWebDAV {
    let process: ServerProcess
    let url: String
    /// Whether it requires Digest authentication instead of Basic.
    var usesDigest = false

    /// - Parameter digest: the algorithm of Digest authentication; nil for Basic.
    static func start(digest: String? = nil) async throws -> RealWebDAV {
        let address = try UnusedAddress()
        let process = try await ServerProcess.start("/usr/sbin/lighttpd") { directory in
            let root = directory.appendingPathComponent("root")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            try Data("anna:geheim\n".utf8).write(to: directory.appendingPathComponent("users"))
            let method =
                digest.map { "\"method\" => \"digest\", \"algorithm\" => \"\($0)\"" } ?? "\"method\" => \"basic\""
            let configuration = """
                server.document-root = "\(root.path)"
                server.bind = "\(address.host)"
                server.port = \(address.port)
                server.modules = ( "mod_auth", "mod_authn_file", "mod_webdav" )
                auth.backend = "plain"
                auth.backend.plain.userfile = "\(directory.path)/users"
                auth.require = ( "" => ( \(method), "realm" => "dav", "require" => "valid-user" ) )
                webdav.activate = "enable"
                $HTTP["url"] =~ "^/closed/" { webdav.is-readonly = "enable" }
                """
            let file = directory.appendingPathComponent("lighttpd.conf")
            try configuration.write(to: file, atomically: true, encoding: .utf8)
            return ["-D", "-f", file.path]
        } until: {
            $0.contains("server started")
        }
        return RealWebDAV(process: process, url: "http://\(address)", usesDigest: digest != nil)
    }

    /// - Parameter answersQuestions: whether nginx has the module for PROPFIND and OPTIONS besides its own for WebDAV.
    static func startNginx(answersQuestions: Bool) async throws -> RealWebDAV {
        let address = try UnusedAddress()
        let process = try await ServerProcess.start("/usr/sbin/nginx") { directory in
            let root = directory.appendingPathComponent("root")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            try Data("anna:{PLAIN}geheim\n".utf8).write(to: directory.appendingPathComponent("users"))
            let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(directory.path)/\($0);"
            }
            let configuration = """
                \(answersQuestions ? "load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;" : "")
                daemon off;
                master_process off;
                pid \(directory.path)/pid;
                error_log stderr notice;
                events {}
                http {
                    access_log off;
                    \(folders.joined(separator: " "))
                    server {
                        listen \(address);
                        root \(root.path);
                        auth_basic dav;
                        auth_basic_user_file \(directory.path)/users;
                        dav_methods PUT DELETE MKCOL COPY MOVE;
                        \(answersQuestions ? "dav_ext_methods PROPFIND OPTIONS;" : "")
                    }
                }
                """
            let file = directory.appendingPathComponent("nginx.conf")
            try configuration.write(to: file, atomically: true, encoding: .utf8)
            return ["-p", directory.path, "-e", "stderr", "-c", file.path]
        } until: {
            $0.contains("using the \"epoll\" event method")
        }
        return RealWebDAV(process: process, url: "http://\(address)")
    }

    /// The content of a file; nil if it cannot be read.
    func text(_ path: String) async throws -> String? {
        let password = Secret("geheim")
        let header: HTTPRequest.Header =
            usesDigest ? .digest(user: "anna", password: password) : .basic(user: "anna", password: password)
        let request = HTTPRequest(method: "GET", url: try WebAddress(url + path), headers: [header])
        let response = try await CurlTransport(userAgent: "istep/test").send(request)
        return response.status == 200 ? response.text : nil
    }
}
