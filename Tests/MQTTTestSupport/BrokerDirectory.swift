internal import Foundation
internal import TestSupport

/// The files of a broker.
enum BrokerDirectory {
    static func make(users: [String: String]?, files: [String: String]) async throws -> String {
        let directory = try GuardedProcess.makeDirectory("mosquitto")
        for (name, text) in files { try text.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8) }
        if let users { try await writePasswords(users, directory) }
        return directory
    }

    static func configure(_ directory: String, port: Int, hasUsers: Bool, options: [String]) throws {
        var lines = [
            // If started as root, mosquitto would otherwise change to another user, who may not read its files.
            "user root", "listener \(port) 127.0.0.1", "persistence false", "log_dest stderr",
            "allow_anonymous \(!hasUsers)",
        ]
        if hasUsers { lines.append("password_file \(directory)/passwords") }
        lines += options.map { $0.replacing("DIRECTORY", with: directory) }
        try lines.joined(separator: "\n").write(toFile: "\(directory)/broker.conf", atomically: false, encoding: .utf8)
    }

    private static func writePasswords(_ users: [String: String], _ directory: String) async throws {
        let text = users.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)\n" }.joined()
        try text.write(toFile: "\(directory)/passwords", atomically: false, encoding: .utf8)
        let program = try GuardedProcess.find("mosquitto_passwd")
        let (status, said) = try await GuardedProcess.run(program, ["-U", "\(directory)/passwords"], in: directory)
        guard status == 0 else { throw RealBroker.Problem.didNotStart(said) }
    }
}
