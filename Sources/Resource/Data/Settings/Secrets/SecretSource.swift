import Foundation
public import Quoting

/// Where a token or password is kept, so that it stands in no configuration file.
public enum SecretSource: Hashable, Sendable {
    /// A file, by its absolute path.
    case file(String)
    /// A variable of the environment, by its name.
    case environment(String)
    /// A file of this name in `$CREDENTIALS_DIRECTORY`: systemd's LoadCredential= and SetCredential=, systemd.exec(5).
    case credential(String)
}

extension SecretSource {
    /// Bytes. Tokens have some dozen; signed ones (RFC 7519) up to some thousand.
    static let limit = 4096

    /// Reads the secret as it is now, so that one that was renewed is used.
    ///
    /// A file of the user's has to be for the user alone; those of systemd are guarded by the directory they are in.
    ///
    /// - Parameter environment: of the process.
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

    /// - Parameter bytes: with or without the line feed that editors leave at the end.
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

/// Controls, which a request could be forged with, and marks, such as the byte order mark, that no eye finds.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
}
