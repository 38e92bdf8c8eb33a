import Foundation
import TestSupport

/// A server installed on this machine, started for a test in its own directory. Both end with this object.
final class ServerProcess: Sendable {
    struct Failure: Error {
        var words: String
    }

    /// The line that reported that the server is ready.
    let readiness: String
    private let process: GuardedProcess

    /// Whether the server has ended: some servers report that they are ready before they are.
    var hasEnded: Bool { process.said.isOver }

    /// - Parameters:
    ///   - arguments: made from the server's directory.
    ///   - isReady: whether a line of the server's output means that it is ready.
    /// - Throws: `Failure` with the server's output if it ends instead.
    static func start(
        _ program: String, _ arguments: (URL) throws -> [String], until isReady: @escaping @Sendable (String) -> Bool
    ) async throws -> ServerProcess {
        let directory = try GuardedProcess.makeDirectory("istep-server")
        let process = try GuardedProcess.start(
            program, try arguments(URL(fileURLWithPath: directory)), directory: directory)
        guard let readiness = await process.said.line(where: isReady) else {
            process.end()
            throw Failure(words: "\(program) did not start:\n\(process.said.text)")
        }
        return ServerProcess(readiness, process)
    }

    private init(_ readiness: String, _ process: GuardedProcess) {
        self.readiness = readiness
        self.process = process
    }

    deinit { stop() }

    func stop() { process.end() }
}
