internal import DBus
public import StepDomain

/// What can go wrong between this program and systemd.
public enum SystemdError: Error, Sendable, Hashable {
    /// There is no such manager, or it cannot be reached.
    case noManager(UnitScope, reason: String)
    /// systemd has no unit of this name.
    case notInstalled(unit: String, UnitScope)
    /// This user lacks the permission for it.
    case refused(doing: String, UnitScope)
    /// A unit did not start or stop: systemd's word for it, such as `timeout`.
    case jobFailed(unit: String, result: String)
    /// Any other answer of systemd.
    case failed(doing: String, reason: String)
}

extension SystemdError: ReportableError {
    /// One sentence without a full stop: what failed, and why.
    public var description: String {
        switch self {
        case .noManager(.user, let reason): "there is no systemd for this user's session: \(reason)"
        case .noManager(.system, let reason): "this machine's systemd cannot be reached: \(reason)"
        case .notInstalled(let unit, .user): "systemd has no unit \(unit) for users"
        case .notInstalled(let unit, .system): "systemd has no unit \(unit)"
        case .refused(let doing, _): "systemd does not permit \(doing)"
        case .jobFailed(let unit, let result): "systemd could not start or stop \(unit): \(result)"
        case .failed(let doing, let reason): "systemd failed while \(doing): \(reason)"
        }
    }

    public var category: FailureCategory {
        switch self {
        case .noManager, .notInstalled: .unavailable
        case .refused: .permission
        case .jobFailed, .failed: .unforeseen
        }
    }

    /// What the user can do next.
    public var advice: String? {
        switch self {
        case .noManager(.user, _):
            "Log in as the user whose steps they are (not by su), with the packages libpam-systemd and dbus-user-session installed; "
                + "for the whole machine: `sudo istep auto on --system`"
        case .noManager(.system, _): "Start the D-Bus service (package dbus): `sudo systemctl start dbus`"
        case .notInstalled: "Install istep with its units: the package, or .packaging/install in a checkout."
        case .refused(_, .system): "Only an administrator may do this: use sudo."
        case .refused(_, .user): "Log in as the user whose steps they are."
        case .jobFailed(let unit, _):
            "See the journal, for your own unit: `journalctl --user-unit \(unit)`; for the machine's: `sudo journalctl -u \(unit)`"
        case .failed: "See the journal: `journalctl -e`"
        }
    }
}

extension SystemdError {
    init(_ error: DBusError, doing: String, unit: String? = nil, _ scope: UnitScope) {
        switch error {
        case .cannotConnect(_, let reason): self = .noManager(scope, reason: reason)
        case .disconnected: self = .noManager(scope, reason: "the connection to the bus was lost")
        case .timedOut, .cancelled, .invalidMessage, .nameTaken: self = .failed(doing: doing, reason: error.description)
        case .remote(let name, let message):
            switch (name, error.kind) {
            case ("org.freedesktop.systemd1.NoSuchUnit", _), ("org.freedesktop.DBus.Error.FileNotFound", _):
                self = unit.map { .notInstalled(unit: $0, scope) } ?? .failed(doing: doing, reason: message)
            // Its own errors say nothing about whether it runs.
            case (_, .noService) where !name.hasPrefix("org.freedesktop.systemd1."):
                self = .noManager(scope, reason: message)
            case (_, .accessDenied): self = .refused(doing: doing, scope)
            default: self = .failed(doing: doing, reason: message.isEmpty ? name : message)
            }
        }
    }
}
