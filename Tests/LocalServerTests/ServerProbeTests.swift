import PageExchange
import Foundation
import Support
import Testing

@testable import LocalServer

/// Who is taken for the pages of an access folder, and who is not.
@Suite(.timeLimit(.minutes(5))) struct ServerProbeTests {
    private final class Folder: Sendable {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("istep-probe-\(UUID().uuidString)")
            .path
        init() { mkdir(path, 0o700) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path + "/serve") }
    }

    /// Whether a probe with this folder and history finds what `handler` answers.
    private func finds(_ history: String, _ access: AccessFolder, _ handler: @escaping LocalServer.Handler) async throws
        -> Bool
    {
        let socket = try ListeningSocket.loopback(port: 0)
        guard case .loopback(let port, _) = socket.address else { return false }
        let server = try LocalServer([socket], handler: handler)
        let task = Task { await server.run() }
        let found = try await blocking { try ServerProbe(port: port, seconds: 60).finds(history, by: access) }
        task.cancel()
        await task.value
        return found
    }

    /// What a server of the pages answers.
    private func pages(_ access: AccessFolder, _ history: String) -> LocalServer.Handler {
        { access.proof(for: $0, history: history) ?? ServedResponse(status: 403) }
    }

    @Test func `a server with the same folder and history is found`() async throws {
        let folder = Folder()
        let access = try AccessFolder(path: folder.path + "/serve")
        #expect(try await finds("/home/anna/größe.sqlite", access, pages(access, "/home/anna/größe.sqlite")))
        #expect(try folder.files().isEmpty, "the question is gone")
    }

    @Test func `a server of another history or another folder is not found`() async throws {
        let folder = Folder(), other = Folder()
        let access = try AccessFolder(path: folder.path + "/serve"),
            foreign = try AccessFolder(path: other.path + "/serve")
        #expect(try await !finds("/a.sqlite", access, pages(access, "/b.sqlite")))
        #expect(try await !finds("/a.sqlite", access, pages(foreign, "/a.sqlite")))
        #expect(try folder.files().isEmpty)
    }

    @Test func `a program with a different answer is not found as a server`() async throws {
        let folder = Folder()
        let access = try AccessFolder(path: folder.path + "/serve")
        let id = Array(String(repeating: "a", count: 64).utf8)
        let bodies: [[UInt8]] = [
            [], Array("hello".utf8), id, id + Array("\n/a.sqlite".utf8), Array(repeating: 0x61, count: 1 << 20),
        ]
        for body in bodies {
            #expect(try await !finds("/a.sqlite", access) { _ in ServedResponse(status: 200, body: .bytes(body)) })
        }
        // The id of the question, which the listener learns, is not its answer.
        let echo: LocalServer.Handler = {
            ServedResponse(
                status: 200, body: .bytes(Array($0.target.dropFirst("/proof/".count).utf8) + Array("\n/a.sqlite".utf8)))
        }
        #expect(try await !finds("/a.sqlite", access, echo))
    }

    @Test func `a silent listener and an unused port are not found as servers`() async throws {
        let folder = Folder()
        let access = try AccessFolder(path: folder.path + "/serve")
        // Nobody accepts: the kernel completes the connection.
        let silent = try ListeningSocket.loopback(port: 0)
        guard case .loopback(let port, _) = silent.address else { return }
        #expect(try await !blocking { try ServerProbe(port: port, seconds: 1).finds("/a.sqlite", by: access) })
        withExtendedLifetime(silent) {}
        #expect(try await !blocking { try ServerProbe(port: 1, seconds: 60).finds("/a.sqlite", by: access) })
        #expect(try folder.files().isEmpty)
    }

    @Test func `the server proves its identity only for a pending probe`() throws {
        let folder = Folder()
        let access = try AccessFolder(path: folder.path + "/serve")
        let token = try access.issueToken()
        for id in ["", "..", "../token-\(token)", token, String(repeating: "0", count: 64)] {
            #expect(
                access.proof(for: ServedRequest(method: "GET", target: "/proof/\(id)"), history: "/a") == nil, "\(id)")
        }
        let question = try access.ask()
        #expect(access.proof(for: ServedRequest(method: "POST", target: "/proof/\(question.id)"), history: "/a") == nil)
        #expect(
            access.proof(for: ServedRequest(method: "GET", target: "/proof/\(question.id)"), history: "/a")?.status
                == 200)
        access.withdraw(question)
        #expect(access.proof(for: ServedRequest(method: "GET", target: "/proof/\(question.id)"), history: "/a") == nil)
    }
}
