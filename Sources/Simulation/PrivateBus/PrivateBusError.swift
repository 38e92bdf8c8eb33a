/// Why a private bus could not be started.
public enum PrivateBusError: Error, Sendable, Hashable {
    /// There is no program `dbus-daemon` in any of these directories.
    case daemonNotFound(searched: [String])
    /// It was found, but did not come up.
    case cannotStart(reason: String)
    /// It was started, but said nothing for so long.
    case noAnswer(seconds: Int)
}

extension PrivateBusError: CustomStringConvertible {
    /// One line that says what failed, and what to do about it where that is known.
    public var description: String {
        switch self {
        case .daemonNotFound(let searched):
            "dbus-daemon was not found in \(searched.joined(separator: ":")); install it (Debian and Ubuntu: apt install dbus-daemon)"
        case .cannotStart(let reason):
            "dbus-daemon could not be started: \(reason)"
        case .noAnswer(let seconds):
            "dbus-daemon did not come up within \(seconds) s"
        }
    }
}
