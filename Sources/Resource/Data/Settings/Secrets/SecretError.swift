import Quoting

/// Why a token or password cannot be had. Nothing of it is ever told.
public enum SecretError: Error, Hashable, Sendable {
    case missing(path: String)
    case notRegular(path: String)
    case unreadable(path: String, reason: String)
    /// Others than the owner can read or write the file; its mode.
    case open(path: String, mode: UInt32)
    /// The file belongs to neither the user nor root, but to this user id, who can read and change it.
    case ofAnother(path: String, owner: UInt32)
    case empty(SecretSource)
    /// More bytes than any token has.
    case tooLarge(SecretSource, limit: Int)
    /// Not UTF-8.
    case notText(SecretSource)
    /// There is more than one line, or there are controls or other characters that nobody sees.
    case invisibleCharacters(SecretSource)
    /// The environment has no such variable, or an empty one.
    case noVariable(String)
    /// There is no directory that a credential of this name could be in.
    case noCredentials(String)

    /// The exit code of sysexits.h that a command should end with: 78 (configuration).
    public var exitCode: Int32 { 78 }
}

extension SecretError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path):
            "the file \(quoted(path)), which should have a secret in it, does not exist; write it with mode 0600"
        case .notRegular(let path):
            "\(quoted(path)) is not a regular file; put the secret into one of mode 0600"
        case .unreadable(let path, let reason):
            "cannot read the file \(quoted(path)) with a secret: \(reason)"
        case .open(let path, let mode):
            "the file \(quoted(path)) has a secret in it, but others can get at it (mode \(octal(mode))); "
                + "run: chmod 600 \(shellQuoted(path))"
        case .ofAnother(let path, let owner):
            "the file \(quoted(path)) with a secret belongs to another user (\(owner)), who can read and change it; "
                + "run: sudo chown \"$(id -u)\" \(shellQuoted(path))"
        case .empty(let source): "\(source) is empty; put the token or password into it, and nothing else"
        case .tooLarge(let source, let limit):
            "\(source) has more than \(limit / 1024) KiB, which no token or password has; put that alone into it"
        case .notText(let source): "\(source) is not UTF-8 text; write the token or password anew"
        case .invisibleCharacters(let source):
            "\(source) has several lines or invisible characters in it; put the token or password alone into it, on one line"
        case .noVariable(let name):
            "the environment variable \(name), which should have a secret in it, is not set; "
                + "where a service runs istep, set it there"
        case .noCredentials(let name):
            "there is no CREDENTIALS_DIRECTORY with the credential \(quoted(name)); it is systemd that makes it: "
                + "run istep by a unit with LoadCredential="
        }
    }
}

extension SecretSource: CustomStringConvertible {
    /// Where it is, and nothing of what is there.
    public var description: String {
        switch self {
        case .file(let path): "the file \(quoted(path))"
        case .environment(let name): "the environment variable \(name)"
        case .credential(let name): "the credential \(quoted(name))"
        }
    }
}

private func octal(_ mode: UInt32) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
