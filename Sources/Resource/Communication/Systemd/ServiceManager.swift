public import DBus
public import StepDomain

/// systemd, over D-Bus: the machine's manager or that of a user.
public actor ServiceManager: BusClient {
    public nonisolated let scope: UnitScope
    let bus: DBusConnection
    let limit: Duration

    private init(_ scope: UnitScope, _ bus: DBusConnection, _ limit: Duration) {
        self.scope = scope
        self.bus = bus
        self.limit = limit
    }

    /// - Parameters:
    ///   - address: the bus on which the manager is: the system's, or the user's own.
    ///   - limit: how long each answer may take.
    /// - Throws: `SystemdError.noManager`.
    public static func open(
        _ scope: UnitScope, on address: DBusAddress, limit: Duration = .seconds(25)
    ) async throws(SystemdError) -> ServiceManager {
        do {
            return ServiceManager(scope, try await DBusConnection.open(address, timeout: limit), limit)
        } catch {
            throw SystemdError(error, doing: "connecting", scope)
        }
    }

    public func close() async { await bus.close() }

    /// The state of a unit. A unit that systemd does not know is reported as not installed.
    ///
    /// - Parameter name: with its suffix, `.timer` or `.service`.
    public func state(of name: String) async throws(SystemdError) -> UnitState {
        let doing = "reading \(name)"
        let reply = try await call("LoadUnit", [.string(name)], doing: doing, unit: name)
        guard let path = reply.first?.pathValue else { throw .failed(doing: doing, reason: "an answer without a path") }
        let kind = name.hasSuffix(".timer") ? SystemdName.timer : SystemdName.unitService
        return UnitState(
            name, unit: try await properties(SystemdName.unit, of: path, doing: doing),
            own: try await properties(kind, of: path, doing: doing))
    }

    /// Enables units, so that they start by themselves from now on, and starts some of them.
    ///
    /// - Parameters:
    ///   - names: the units whose `[Install]` section takes effect.
    ///   - running: those of them to start now.
    /// - Throws: `SystemdError`; `.notInstalled` names the first that systemd does not know.
    public func enable(_ names: [String], starting running: [String]) async throws(SystemdError) {
        for name in names where try await !state(of: name).isInstalled { throw .notInstalled(unit: name, scope) }
        let doing = "switching on \(names.joined(separator: ", "))"
        _ = try await call("EnableUnitFiles", [.strings(names), .boolean(false), .boolean(false)], doing: doing, unit: names.first)
        _ = try await call("Reload", doing: doing)
        for name in running { try await run("StartUnit", name) }
    }

    /// Reverses `enable`: stops and disables the units. Units that systemd does not know are left alone.
    public func disable(_ names: [String], stopping running: [String]) async throws(SystemdError) {
        for name in running where try await state(of: name).isActive { try await run("StopUnit", name) }
        let doing = "switching off \(names.joined(separator: ", "))"
        _ = try await call("DisableUnitFiles", [.strings(names), .boolean(false)], doing: doing)
        _ = try await call("Reload", doing: doing)
    }

    // MARK: Calls

    func call(
        _ member: String, _ arguments: [DBusValue] = [], doing: String, unit: String? = nil
    ) async throws(SystemdError) -> [DBusValue] {
        do {
            return try await bus.call(
                SystemdName.service, SystemdName.root, SystemdName.manager, member, arguments, timeout: limit)
        } catch {
            throw SystemdError(error, doing: doing, unit: unit, scope)
        }
    }

    private func properties(
        _ interface: String, of path: ObjectPath, doing: String
    ) async throws(SystemdError) -> [String: DBusValue] {
        do {
            let reply = try await bus.call(
                SystemdName.service, path, SystemdName.properties, "GetAll", [.string(interface)], timeout: limit)
            return reply.first?.propertiesValue ?? [:]
        } catch {
            // A unit without a file does not have the interface of its type.
            if error.remoteName == "org.freedesktop.DBus.Error.UnknownInterface" { return [:] }
            throw SystemdError(error, doing: doing, scope)
        }
    }
}

extension ServiceManager {
    /// Starts or stops a unit and waits until that is done.
    func run(_ member: String, _ name: String) async throws(SystemdError) {
        let doing = "\(member == "StartUnit" ? "starting" : "stopping") \(name)"
        // systemd sends signals about jobs only while a client is subscribed.
        _ = try await call("Subscribe", doing: doing)
        let ends: DBusSignals
        do {
            ends = try await bus.signals(
                MatchRule(sender: SystemdName.service, path: SystemdName.root, interface: SystemdName.manager, member: "JobRemoved"))
        } catch {
            throw SystemdError(error, doing: doing, scope)
        }
        let reply = try await call(member, [.string(name), .string("replace")], doing: doing, unit: name)
        let result = await Self.end(of: reply.first?.pathValue, in: ends, within: limit)
        _ = try? await call("Unsubscribe", doing: doing)
        // A unit that was skipped because a condition does not hold has not failed.
        guard let result, ["done", "skipped"].contains(result) else { throw .jobFailed(unit: name, result: result ?? "no result in time") }
    }

    /// - Returns: systemd's term for how the job ended; nil if the bus went away or the time ran out before.
    private static func end(of job: ObjectPath?, in ends: DBusSignals, within limit: Duration) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await end in ends where end.body.count == 4 && end.body[1].pathValue == job { return end.body[3].stringValue }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

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
                + "for the whole machine: sudo istep auto on --system."
        case .noManager(.system, _): "Start the D-Bus service (package dbus): systemctl start dbus."
        case .notInstalled: "Install istep with its units: the package, or .packaging/install in a checkout."
        case .refused(_, .system): "Only an administrator may do this: use sudo."
        case .refused(_, .user): "Log in as the user whose steps they are."
        case .jobFailed(let unit, _): "See its journal: journalctl --user-unit \(unit); for the machine's: sudo journalctl -u \(unit)."
        case .failed: "See the journal: journalctl -e."
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
            switch name {
            case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
                _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn"):
                self = .noManager(scope, reason: message)
            case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
                "org.freedesktop.DBus.Error.AuthFailed":
                self = .refused(doing: doing, scope)
            case "org.freedesktop.systemd1.NoSuchUnit", "org.freedesktop.DBus.Error.FileNotFound":
                self = unit.map { .notInstalled(unit: $0, scope) } ?? .failed(doing: doing, reason: message)
            default: self = .failed(doing: doing, reason: message.isEmpty ? name : message)
            }
        }
    }
}

/// Names of systemd's D-Bus interfaces (org.freedesktop.systemd1(5), org.freedesktop.login1(5)).
enum SystemdName {
    static let service = "org.freedesktop.systemd1"
    static let root: ObjectPath = "/org/freedesktop/systemd1"
    static let manager = "org.freedesktop.systemd1.Manager"
    static let unit = "org.freedesktop.systemd1.Unit"
    static let timer = "org.freedesktop.systemd1.Timer"
    static let unitService = "org.freedesktop.systemd1.Service"
    static let properties = "org.freedesktop.DBus.Properties"
    static let loginService = "org.freedesktop.login1"
    static let loginRoot: ObjectPath = "/org/freedesktop/login1"
    static let loginManager = "org.freedesktop.login1.Manager"
    static let loginUser = "org.freedesktop.login1.User"
}

/// Whether a user's manager runs while the user is not logged in: `loginctl enable-linger`.
public enum Lingering {
    /// - Parameter user: the user's number, as returned by `getuid(2)`.
    /// - Returns: nil if logind does not answer, as on a machine without it.
    public static func isOn(user: UInt32, bus address: DBusAddress = .system, limit: Duration = .seconds(10)) async -> Bool? {
        guard let bus = try? await DBusConnection.open(address, timeout: limit) else { return nil }
        return await bus.closing { bus in await isOn(user, bus, limit) }
    }

    private static func isOn(_ user: UInt32, _ bus: DBusConnection, _ limit: Duration) async -> Bool? {
        do throws(DBusError) {
            let found = try await bus.call(
                SystemdName.loginService, SystemdName.loginRoot, SystemdName.loginManager, "GetUser", [.uint32(user)], timeout: limit)
            guard let path = found.first?.pathValue else { return nil }
            let value = try await bus.call(
                SystemdName.loginService, path, SystemdName.properties, "Get",
                [.string(SystemdName.loginUser), .string("Linger")], timeout: limit)
            return value.first?.boolValue
        } catch {
            // Neither logged in nor lingering.
            return error.remoteName == "org.freedesktop.login1.NoSuchUser" ? false : nil
        }
    }
}
