internal import TestSupport

/// A certificate authority for tests, and a certificate that it has issued for `localhost`, made by the openssl
/// command.
public enum Certificates {
    public struct Problem: Error {
        public let said: String
    }

    /// Makes `ca.pem`, `server.pem` and `server.key` in a new directory.
    /// - Returns: the directory, which the caller has to remove.
    public static func make() async throws -> String {
        let directory = try GuardedProcess.makeDirectory("certificates")
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        try await openssl(
            ["req", "-x509"] + key + ["-subj", "/CN=Test authority", "-keyout", "ca.key", "-out", "ca.pem"], directory)
        try await openssl(
            ["req", "-x509", "-CA", "ca.pem", "-CAkey", "ca.key"] + key
                + [
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext",
                    "basicConstraints=critical,CA:FALSE",
                ]
                + ["-keyout", "server.key", "-out", "server.pem"], directory)
        return directory
    }

    private static func openssl(_ arguments: [String], _ directory: String) async throws {
        let (status, said) = try await GuardedProcess.run(try GuardedProcess.find("openssl"), arguments, in: directory)
        guard status == 0 else { throw Problem(said: said) }
    }
}
