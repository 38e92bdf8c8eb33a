internal import TestSupport

/// A `mosquitto` for one test, on a port of 127.0.0.1. It ends with `stop`, and at the latest with this process.
public final class RealBroker: Sendable {
    public enum Problem: Error {
        /// Its output.
        case didNotStart(String)
    }

    public let port: Int
    private let process: GuardedProcess

    private init(port: Int, process: GuardedProcess) {
        self.port = port
        self.process = process
    }

    /// Runs `body` with a broker, and stops it afterwards.
    /// - Parameters:
    ///   - users: names and passwords; nil to allow anonymous access.
    ///   - options: further lines of its configuration. `DIRECTORY` in them stands for its directory.
    ///   - files: contents of further files in the directory, by name.
    public static func with(
        users: [String: String]? = nil, options: [String] = [], files: [String: String] = [:],
        _ body: (RealBroker) async throws -> Void
    ) async throws {
        let broker = try await start(users: users, options: options, files: files)
        do {
            try await body(broker)
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
    }

    /// Starts a broker, and returns when it listens.
    public static func start(
        users: [String: String]? = nil, options: [String] = [], files: [String: String] = [:]
    ) async throws -> RealBroker {
        while true {
            let directory = try await BrokerDirectory.make(users: users, files: files)
            let port = FreePort.find()
            try BrokerDirectory.configure(directory, port: port, hasUsers: users != nil, options: options)
            let process = try GuardedProcess.start(
                try GuardedProcess.find("mosquitto"), ["-c", directory + "/broker.conf"], directory: directory)
            if await process.said.contains(" running", orAnyOf: ["Error: "]) {
                return RealBroker(port: port, process: process)
            }
            let said = process.said.text
            await process.stop()
            // If the address is in use, another program has taken the port meanwhile.
            guard said.contains("Address already in use") else { throw Problem.didNotStart(said) }
        }
    }

    /// Ends it and waits until its files are gone.
    public func stop() async { await process.stop() }

    /// Its log output so far.
    public var log: String { process.said.text }
}
