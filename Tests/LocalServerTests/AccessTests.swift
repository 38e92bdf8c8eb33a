import PageExchange
import Foundation
import TestSupport
import Synchronization
import Testing

@testable import LocalServer

/// Tokens and sessions, and the sockets that they protect.
@Suite(.timeLimit(.minutes(5))) struct AccessTests {
    private final class Folder: Sendable {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("istep-access-\(UUID().uuidString)")
            .path
        init() { mkdir(path, 0o700) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test func `a token begins one session, even if a hundred tasks redeem it at the same time`() async throws {
        let folder = Folder()
        let access = try AccessFolder(path: folder.path + "/serve")
        let token = try access.issueToken()
        #expect(token.count == 64 && access.session(token) == nil)
        let sessions = await withTaskGroup(of: PageSession?.self) { group in
            for _ in 0..<100 { group.addTask { access.redeem(token) } }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        #expect(sessions.count == 1)
        let session = try #require(sessions.first)
        #expect(
            access.session(session.cookie) == session && session.cookie != session.formKey && session.cookie != token)
        // Another process of the same user knows it as well.
        #expect(try AccessFolder(path: folder.path + "/serve").session(session.cookie) == session)
    }

    @Test func `only this user can read the access folder and its files`() throws {
        let folder = Folder()
        let access = try AccessFolder(path: folder.path + "/serve")
        let token = try access.issueToken()
        #expect(mode(folder.path + "/serve") == 0o700 && mode(folder.path + "/serve/token-\(token)") == 0o600)
        let session = try #require(access.redeem(token))
        #expect(mode(folder.path + "/serve/session-\(session.cookie)") == 0o600)
        chmod(folder.path + "/serve", 0o755)
        _ = try AccessFolder(path: folder.path + "/serve")
        #expect(mode(folder.path + "/serve") == 0o700)
    }

    @Test func `a folder that is a link is not used`() throws {
        let folder = Folder()
        symlink("/tmp", folder.path + "/serve")
        #expect(throws: AccessFolder.Failure.self) { try AccessFolder(path: folder.path + "/serve") }
    }

    @Test func `expired tokens and sessions are rejected and removed`() throws {
        let folder = Folder(), later = Mutex(0)
        let access = try AccessFolder(path: folder.path) { AccessFolder.systemTime() + later.withLock { $0 } }
        let session = try #require(access.redeem(try access.issueToken())), token = try access.issueToken()
        later.withLock { $0 = PageSession.tokenLifetime }
        #expect(access.redeem(token) == nil && access.session(session.cookie) != nil)
        later.withLock { $0 = PageSession.lifetime + 10 }
        #expect(access.session(session.cookie) == nil)
        _ = try access.issueToken()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1, "expired ones are removed")
    }

    @Test(arguments: [
        "", "x", "../token", "../../etc/passwd", String(repeating: "g", count: 64), String(repeating: "A", count: 64),
    ])
    func `text that is not a token is never used as a path`(_ text: String) throws {
        let folder = Folder()
        let access = try AccessFolder(path: folder.path + "/serve")
        #expect(access.redeem(text) == nil && access.session(text) == nil)
    }

    // MARK: Sockets

    @Test func `a socket file is only for this user, and is removed at the end`() throws {
        let folder = Folder(), path = folder.path + "/istep.sock"
        do {
            let socket = try ListeningSocket.path(path)
            #expect(socket.address == .path(path) && mode(path) == 0o600)
            #expect(throws: ListeningSocket.Failure.pathInUse(path)) { try ListeningSocket.path(path) }
        }
        #expect(mode(path) == 0)
    }

    @Test func `a server that has ended has removed its socket file, and does not remove the next server's`()
        async throws
    {
        let folder = Folder(), path = folder.path + "/istep.sock"
        // The socket stays open, as at the end of the program while a thread refers to it.
        let socket = try ListeningSocket.path(path)
        let server = try LocalServer([socket]) { _ in ServedResponse(status: 204) }
        let running = Task { await server.run() }
        running.cancel()
        await running.value
        #expect(mode(path) == 0)
        let next = try ListeningSocket.path(path)
        socket.removeFile()
        #expect(next.address == .path(path) && mode(path) == 0o600)
    }

    @Test func `a socket file that was left behind is replaced, another file is not`() throws {
        let folder = Folder(), path = folder.path + "/istep.sock"
        // As after a kill: the file is there, and nobody listens.
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(number)
        #expect(code == 0 && mode(path) != 0)
        _ = try ListeningSocket.path(path)
        let file = folder.path + "/precious"
        try Data("steps".utf8).write(to: URL(fileURLWithPath: file))
        #expect(throws: ListeningSocket.Failure.self) { try ListeningSocket.path(file) }
        #expect(FileManager.default.contents(atPath: file) == Data("steps".utf8))
        #expect(throws: ListeningSocket.Failure.self) {
            try ListeningSocket.path("/" + String(repeating: "x", count: 200))
        }
    }

    @Test func `a port in use is reported`() throws {
        let first = try ListeningSocket.loopback(port: 0)
        guard case .loopback(let port, false) = first.address else { return #expect(Bool(false)) }
        #expect(throws: ListeningSocket.Failure.portInUse(port)) { try ListeningSocket.loopback(port: port) }
    }

    @Test func `sockets of systemd that are for another process are not used`() throws {
        #expect(try ListeningSocket.inherited(["LISTEN_PID": "1", "LISTEN_FDS": "1"]).isEmpty)
        #expect(try ListeningSocket.inherited(["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "0"]).isEmpty)
        #expect(try ListeningSocket.inherited([:]).isEmpty)
    }
}
