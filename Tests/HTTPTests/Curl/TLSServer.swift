import Foundation
import Testing
import TestSupport

/// `openssl s_server` on loopback, with a certificate of its own.
final class TLSServer: Sendable {
    /// Such as `https://127.0.0.1:40123`.
    let url: String
    private let process: ChildProcess

    enum Kind: String {
        /// Answers every GET with a page.
        case web = "-www"
        /// Answers every line backwards.
        case backwards = "-rev"
    }

    static func start(_ certificate: Certificate, _ kind: Kind = .web, _ options: [String] = []) async throws
        -> TLSServer
    {
        let process = ChildProcess(), output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments =
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.path, "-key", certificate.key, kind.rawValue,
            ] + options
        process.pipe = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Reading blocks, which no thread of Swift's tasks may do.
        let port = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var text = ""
                while !text.contains(/ACCEPT .*\n/) {
                    let bytes = output.fileHandleForReading.availableData
                    if bytes.isEmpty { break }
                    text += String(decoding: bytes, as: UTF8.self)
                }
                continuation.resume(returning: text.firstMatch(of: /ACCEPT .*:([0-9]+)\n/).map { String($0.1) })
            }
        }
        return TLSServer(process, url: "https://127.0.0.1:\(try #require(port))")
    }

    private init(_ process: ChildProcess, url: String) { (self.process, self.url) = (process, url) }

    // SIGKILL, because the process was started by a Dispatch thread and has every other signal blocked.
    deinit { kill(process.processIdentifier, SIGKILL) }
}

/// A self-signed certificate.
struct Certificate: Sendable {
    let path: String
    let key: String

    /// - Parameter names: the names that it is valid for, such as `IP:127.0.0.1`.
    init(in directory: String, names: String, expired: Bool = false) async throws {
        path = directory + "/certificate.pem"
        key = directory + "/key.pem"
        let settings = directory + "/settings"
        try """
        [req]
        distinguished_name = name
        x509_extensions = extensions
        [name]
        [extensions]
        subjectAltName = \(names)
        [ca]
        default_ca = own
        [own]
        database = \(directory)/index
        serial = \(directory)/serial
        new_certs_dir = \(directory)
        default_md = sha256
        policy = any
        x509_extensions = extensions
        [any]
        commonName = supplied
        """.write(toFile: settings, atomically: false, encoding: .utf8)
        try "".write(toFile: directory + "/index", atomically: false, encoding: .utf8)
        try "01".write(toFile: directory + "/serial", atomically: false, encoding: .utf8)
        let request = directory + "/request.pem"
        try await openssl(
            "req", "-config", settings, "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", key, "-out", request, "-subj", "/CN=istep-tests")
        try await openssl(
            "ca", "-batch", "-selfsign", "-config", settings, "-in", request, "-keyfile", key, "-out", path, "-notext",
            "-startdate", "20200101000000Z", "-enddate", expired ? "20200102000000Z" : "20991231000000Z")
    }
}

private func openssl(_ arguments: String...) async throws {
    let process = ChildProcess()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let status: Int32 = try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    try #require(status == 0, "openssl \(arguments)")
}
