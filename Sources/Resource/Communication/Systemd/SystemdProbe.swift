public import DBus
import Foundation
public import StepDomain

/// Examines the bus, the clock and the timers of this machine.
public struct SystemdProbe: SystemProbe {
    private let environment: [String: String]
    private let systemBus: DBusAddress
    private let sessionBus: DBusAddress
    private let now: @Sendable () -> Timestamp
    private let entry: @Sendable (String) -> StorageFacts.Entry?

    /// - Parameters:
    ///   - environment: the environment of the process: `TZ` and `XDG_CURRENT_DESKTOP` are read.
    ///   - sessionBus: the bus of the user whose timers are examined besides the machine's.
    ///   - file: what the file system reports about a path.
    public init(
        environment: [String: String], systemBus: DBusAddress, sessionBus: DBusAddress,
        now: @escaping @Sendable () -> Timestamp, file: @escaping @Sendable (String) -> StorageFacts.Entry?
    ) {
        self.environment = environment
        self.systemBus = systemBus
        self.sessionBus = sessionBus
        self.now = now
        entry = file
    }

    public func file(at path: String) -> StorageFacts.Entry? { entry(path) }

    /// - Throws: a `DBusError` of a bus that is reached and does not work.
    public func busFailure() async throws -> String? {
        do throws(DBusError) {
            await (try DBusConnection.open(systemBus)).close()
            return nil
        } catch {
            guard case .cannotConnect(let address, let reason) = error else { throw error }
            return "\(address): \(reason)"
        }
    }

    public func time() async -> TimeFacts {
        TimeFacts(
            now: now(), isSynchronised: await isSynchronised(), zone: TimeZoneName.current(environment),
            isDesktop: environment["XDG_CURRENT_DESKTOP"]?.isEmpty == false)
    }

    /// The kernel's state, whichever program sets the clock (org.freedesktop.timedate1(5)).
    private func isSynchronised() async -> Bool? {
        guard let connection = try? await DBusConnection.open(systemBus) else { return nil }
        let reply = try? await connection.closing { connection in
            try await connection.call(
                "org.freedesktop.timedate1", "/org/freedesktop/timedate1", StandardInterface.properties, "Get",
                [.string("org.freedesktop.timedate1"), .string("NTPSynchronized")], timeout: .seconds(5))
        }
        return reply?.first?.boolValue
    }

    /// - Throws: `SystemdError`.
    public func timers() async throws -> [TimerFacts]? {
        var found: [TimerFacts] = []
        for scope in [UnitScope.user, .system] {
            do {
                found.append(try await timers(of: scope))
            } catch SystemdError.noManager {
                continue
            }
        }
        let wanted = found.filter { $0.isEnabled || $0.isActive || $0.isWatchEnabled || $0.isWatchActive }
        if !wanted.isEmpty { return wanted }
        return (found.first(where: \.isInstalled) ?? found.first).map { [$0] }
    }

    private func timers(of scope: UnitScope) async throws -> TimerFacts {
        let manager = try await ServiceManager.open(scope, on: scope == .user ? sessionBus : systemBus)
        return try await manager.closing { manager in
            try await SyncUnits.read(from: manager, systemBus: systemBus).timerFacts
        }
    }
}

/// The time zone's name, which the C library does not report.
public enum TimeZoneName {
    /// Zones that the C library has without a file.
    private static let builtIn = ["UTC", "GMT", "Etc/UTC", "Universal", "Zulu"]

    /// The zone that `TZ` names and this machine does not have: the C library then takes UTC without a word. Nil if
    /// there is no such error.
    public static func unknown(_ environment: [String: String]) -> String? {
        guard let text = environment["TZ"], !text.isEmpty, current(environment) == nil else { return nil }
        return text
    }

    /// The zone that `TZ` or the machine names.
    ///
    /// - Returns: nil if the environment names a zone that the machine does not have.
    public static func current(_ environment: [String: String], localtime: String = "/etc/localtime") -> String? {
        if let text = environment["TZ"] {
            // The C library takes UTC for an empty text, too.
            if text.isEmpty { return "UTC" }
            let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
            // POSIX has zones without a file: EST5EDT, <+03>-3, CET-1CEST,M3.5.0,M10.5.0/3.
            if name.prefixMatch(of: /(?:<[^>]+>|[A-Za-z]{3,})[+-]?[0-9]/) != nil { return name }
            if !name.contains("/"), name.utf8.contains(where: { (0x30...0x39).contains($0) }) { return name }
            // Where it is, is a choice of the user: tzset(3).
            let folder = environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/share/zoneinfo"
            return builtIn.contains(name) || access(name.hasPrefix("/") ? name : folder + "/" + name, R_OK) == 0
                ? name : nil
        }
        // realpath rather than readlink: some machines have a chain of links.
        guard let real = realpath(localtime, nil) else { return "UTC" }
        defer { free(real) }
        let target = String(cString: real)
        return target.firstRange(of: "zoneinfo/").map { String(target[$0.upperBound...]) } ?? target
    }
}
