internal import Foundation
internal import Support

/// The database to connect to, and how.
public struct PostgresAddress: Hashable, Sendable {
    /// Keywords of a connection, such as `host` and `dbname` (PostgreSQL documentation, section 34.1.2), without a
    /// password.
    public let parameters: [String: String]
    /// Host and database for display; never the user.
    public let description: String

    /// - Parameters:
    ///   - parameters: keywords and values. Without `sslmode`, the server's certificate and its name are verified
    ///     (`verify-full`) unless the server is this machine.
    ///   - home: where `~/.postgresql/root.crt` is looked for; without this file, certificates are verified by those of
    ///     the system.
    ///   - insecure: another machine may be reached without TLS.
    public init(_ parameters: [String: String], home: String?, insecure: Bool) {
        let target = Target(parameters)
        var parameters = parameters
        // A file of certificates, or an address that asks for it, means that this machine is verified, too.
        let isVerified = parameters["sslrootcert"] != nil || parameters["dbname"]?.contains("sslmode=verify-") == true
        if parameters["sslmode"] == nil {
            parameters["sslmode"] = isVerified || !(insecure || target.isLocal) ? "verify-full" : "prefer"
        }
        let own = home.map { $0 + "/.postgresql/root.crt" }
        if parameters["sslrootcert"] == nil, parameters["sslmode"] == "verify-full",
            !(own.map(FileManager.default.isReadableFile(atPath:)) ?? false)
        {
            parameters["sslrootcert"] = "/etc/ssl/certs/ca-certificates.crt"
        }
        self.parameters = parameters
        description = target.description
    }

    /// Whether a text is an address that libpq accepts as `dbname`, and has no password in it: configurations hold
    /// none. libpq checks the rest when it connects.
    public static func isURI(_ text: String) -> Bool {
        guard isAddress(text) else { return false }
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let authority = parts.dropFirst(2).first ?? ""
        let user = authority.lastIndex(of: "@").map { authority[..<$0] } ?? ""
        return !user.contains(":") && text.removingPercentEncoding?.contains("password=") == false
    }

    /// Whether libpq reads a text as a URI.
    public static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }
}

extension PostgresAddress {
    /// Where the parameters lead.
    private struct Target {
        var description: String
        /// A Unix socket, or loopback. libpq looks up a service: its host is not known here.
        var isLocal: Bool

        init(_ parameters: [String: String]) {
            if let service = parameters["service"] {
                (description, isLocal) = ("service \(service)", false)
                return
            }
            var (host, port, database) = (parameters["host"], parameters["port"], parameters["dbname"])
            var isKnown = true
            if let uri = database, PostgresAddress.isURI(uri) {
                // A list of hosts is no URL to Foundation: it is taken for another machine.
                let url = URLComponents(string: uri)
                isKnown = url != nil && url?.queryItems?.contains { $0.name == "host" || $0.name == "hostaddr" } != true
                host = url?.host.flatMap { $0.isEmpty ? nil : $0 }
                port = url?.port.map { "\($0)" }
                database = url.map { String($0.path.dropFirst()) }
            }
            let name = host ?? ""
            let machine = host ?? (isKnown ? "this machine" : "several hosts")
            description = machine + (port.map { ":\($0)" } ?? "") + (database.map { "/\($0)" } ?? "")
            // libpq takes what is not given from the environment, and PGHOSTADDR even beside a name.
            let environment = ProcessInfo.processInfo.environment
            let isElsewhere = environment["PGHOSTADDR"] != nil || name.isEmpty && environment["PGHOST"] != nil
            isLocal = isKnown && !isElsewhere && (name.isEmpty || name.hasPrefix("/") || HostName.isLoopback(name))
        }
    }
}
