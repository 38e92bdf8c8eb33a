public import DBus

/// systemd, over D-Bus: the machine's manager or that of a user.
public actor ServiceManager {
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

    /// How a unit stands. One that systemd does not know is told as not installed.
    ///
    /// - Parameter name: with its suffix, `.timer` or `.service`.
    public func state(of name: String) async throws(SystemdError) -> UnitState {
        let doing = "telling of \(name)"
        let reply = try await call("LoadUnit", [.string(name)], doing: doing, unit: name)
        guard let path = reply.first?.pathValue else { throw .failed(doing: doing, reason: "an answer without a path") }
        let kind = name.hasSuffix(".timer") ? SystemdName.timer : SystemdName.unitService
        return UnitState(
            name, unit: try await properties(SystemdName.unit, of: path, doing: doing),
            own: try await properties(kind, of: path, doing: doing))
    }

    /// Lets units start by themselves from now on and starts them, or ends both.
    ///
    /// - Parameters:
    ///   - names: the units whose `[Install]` section is to take effect.
    ///   - running: those of them to start or stop now.
    /// - Throws: `SystemdError`; `.notInstalled` names the first that systemd does not know.
    public func enable(_ names: [String], starting running: [String]) async throws(SystemdError) {
        for name in names where try await !state(of: name).isInstalled { throw .notInstalled(unit: name, scope) }
        let doing = "switching on \(names.joined(separator: ", "))"
        _ = try await call("EnableUnitFiles", [.strings(names), .boolean(false), .boolean(false)], doing: doing, unit: names.first)
        _ = try await call("Reload", doing: doing)
        for name in running { try await run("StartUnit", name) }
    }

    /// Ends what `enable` began. Units that systemd does not know are left alone.
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
            // A unit without a file has no interface of its kind.
            if error.remoteName == "org.freedesktop.DBus.Error.UnknownInterface" { return [:] }
            throw SystemdError(error, doing: doing, scope)
        }
    }
}
