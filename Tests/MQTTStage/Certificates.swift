internal import Foundation

/// A certificate authority of the test's own, and a certificate of it for `localhost`, made by the openssl command.
public enum Certificates {
    public struct Problem: Error {
        public let said: String
    }

    /// Makes `ca.pem`, `server.pem` and `server.key` in a new directory.
    /// - Returns: the directory, which is the caller's to remove.
    public static func make() async throws -> String {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("certificates-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        try await openssl(
            ["req", "-x509"] + key + ["-subj", "/CN=Test authority", "-keyout", "ca.key", "-out", "ca.pem"], in: directory)
        try await openssl(
            ["req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key"] + key
                + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]
                + ["-keyout", "server.key", "-out", "server.pem"], in: directory)
        return directory
    }

    private static func openssl(_ arguments: [String], in directory: String) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        let complaints = directory + "/complaints"
        try Data().write(to: URL(fileURLWithPath: complaints))
        process.standardError = FileHandle(forWritingAtPath: complaints)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw Problem(said: (try? String(contentsOfFile: complaints, encoding: .utf8)) ?? "") }
    }
}
