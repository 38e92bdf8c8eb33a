import Foundation
public import Support

/// Where a token or password is stored outside of the configuration files.
public enum SecretSource: Hashable, Sendable {
    /// A file, by its absolute path.
    case file(String)
    /// A variable of the environment, by its name.
    case environment(String)
    /// A file of this name in `$CREDENTIALS_DIRECTORY`: systemd's LoadCredential= and SetCredential=, systemd.exec(5).
    case credential(String)
}

extension SecretSource {
    /// In bytes. Tokens have a few dozen; signed ones (RFC 7519) up to a few thousand.
    static let limit = 4096

    /// Reads the current secret, so that a renewed one is used.
    ///
    /// A file of the user must be accessible for the user only; files of systemd are protected by their directory.
    ///
    /// - Parameter environment: the environment of the process.
    public func load(environment: [String: String]) throws(SecretError) -> Secret {
        switch self {
        case .file(let path):
            let file = try contents(of: path)
            guard file.mode & 0o077 == 0 else { throw .open(path: path, mode: file.mode) }
            guard file.owner == 0 || file.owner == geteuid() else { throw .ofAnother(path: path, owner: file.owner) }
            return try secret(file.bytes)
        case .credential(let name):
            guard let directory = environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else {
                throw .noCredentials(name)
            }
            return try secret(contents(of: directory + "/" + name).bytes)
        case .environment(let name):
            guard let text = environment[name], !text.isEmpty else { throw .noVariable(name) }
            return try secret(Array(text.utf8))
        }
    }

    private func contents(of path: String) throws(SecretError) -> SmallFile {
        do {
            return try SmallFile(path, limit: Self.limit)
        } catch {
            switch error {
            case .absent: throw .missing(path: path)
            case .notRegular: throw .notRegular(path: path)
            case .tooLarge: throw .tooLarge(self, limit: Self.limit)
            case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
            }
        }
    }

    /// - Parameter bytes: with or without a trailing line feed, which editors add.
    private func secret(_ bytes: [UInt8]) throws(SecretError) -> Secret {
        guard bytes.count <= Self.limit else { throw .tooLarge(self, limit: Self.limit) }
        guard let whole = String(validating: bytes, as: UTF8.self) else { throw .notText(self) }
        var text = whole.unicodeScalars[...]
        while let last = text.last, last == "\n" || last == "\r" { text.removeLast() }
        guard !text.isEmpty else { throw .empty(self) }
        guard !text.contains(where: isInvisible) else { throw .invisibleCharacters(self) }
        return Secret(String(text))
    }
}

/// Controls, which could be used to forge a request, and invisible marks, such as the byte order mark.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
}

/// Why a token or password cannot be read. No part of it is ever shown.
public enum SecretError: Error, Hashable, Sendable {
    case missing(path: String)
    case notRegular(path: String)
    case unreadable(path: String, reason: String)
    /// Users other than the owner can read or write the file; its mode.
    case open(path: String, mode: UInt32)
    /// The file belongs neither to the user nor to root, but to this user id, which can read and change it.
    case ofAnother(path: String, owner: UInt32)
    case empty(SecretSource)
    /// More bytes than any token.
    case tooLarge(SecretSource, limit: Int)
    /// Not UTF-8.
    case notText(SecretSource)
    /// There is more than one line, or there are controls or other invisible characters.
    case invisibleCharacters(SecretSource)
    /// The environment has no such variable, or it is empty.
    case noVariable(String)
    /// There is no directory that could contain a credential of this name.
    case noCredentials(String)
}

extension SecretError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path):
            "the file \(quoted(path)), which should contain a secret, does not exist; create it with mode 0600"
        case .notRegular(let path):
            "\(quoted(path)) is not a regular file; put the secret into a regular file with mode 0600"
        case .unreadable(let path, let reason):
            "cannot read the file \(quoted(path)) with a secret: \(reason)"
        case .open(let path, let mode):
            "the file \(quoted(path)) contains a secret, but is accessible to others "
                + "(mode \(mode.digits(radix: 8, width: 4))); run `chmod 600 \(shellQuoted(path))`"
        case .ofAnother(let path, let owner):
            "the file \(quoted(path)) with a secret belongs to another user (\(owner)), who can read and change it; "
                + "run `sudo chown \"$(id -u)\" \(shellQuoted(path))`"
        case .empty(let source): "\(source) is empty; put the token or password into it, and nothing else"
        case .tooLarge(let source, let limit):
            "\(source) has more than \(limit / 1024) KiB, which is too long for a token or password; put only that into it"
        case .notText(let source): "\(source) is not UTF-8 text; write the token or password again"
        case .invisibleCharacters(let source):
            "\(source) has several lines or invisible characters in it; put only the token or password into it, on one line"
        case .noVariable(let name):
            "\(variable(name)), which should contain a secret, is not set; where a service runs istep, set it there"
        case .noCredentials(let name):
            "there is no CREDENTIALS_DIRECTORY with the credential \(quoted(name)); systemd creates it: "
                + "run istep in a unit with LoadCredential="
        }
    }
}

extension SecretSource: CustomStringConvertible {
    /// The place of the secret, without its content.
    public var description: String {
        switch self {
        case .file(let path): "the file \(quoted(path))"
        case .environment(let name): variable(name)
        case .credential(let name): "the credential \(quoted(name))"
        }
    }
}

/// Shows the name if it has the usual form (POSIX.1-2024, 8.1). Any other name may be the secret itself, entered under
/// the wrong key.
private func variable(_ name: String) -> String {
    let isUsual =
        name.utf8.count <= 40
        && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
    let words = name.split(separator: "_")
    // A token of capitals and digits, as some services issue them, has a digit between letters.
    let isToken = words.contains { $0.count > 8 && $0.contains(where: \.isNumber) }
    return isUsual && !isToken ? "the environment variable \(name)" : "the environment variable that is configured"
}
