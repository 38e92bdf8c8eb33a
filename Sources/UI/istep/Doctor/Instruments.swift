import BlueZ
import DBus
import Foundation
import StepDomain

/// What a checkup looks with; a test puts a machine of its own in place of this one.
struct Instruments: Sendable {
    /// Nil on a bus that is not the machine's own: of that, kernel and switches tell nothing.
    var machine: MachineProbe?
    var bus: DBusAddress
    /// Bytes that a user may still fill on the disk of a path; nil where it cannot be told.
    var free: @Sendable (String) -> Int?
    var time: @Sendable () async -> TimeFacts
    /// Nil where there is no systemd to ask.
    var timers: @Sendable () async throws -> [TimerFacts]?
    var now: @Sendable () -> Timestamp
    var localTime: LocalTime
    /// Measures how long things take.
    var clock: any Clock<Duration>

    static func live(_ environment: [String: String]) -> Instruments {
        let bus = Wiring.systemBus(environment)
        let now: @Sendable () -> Timestamp = { Timestamp(Int(Date().timeIntervalSince1970)) }
        return Instruments(
            machine: bus == .system ? .live : nil, bus: bus, free: freeSpace,
            time: {
                TimeFacts(
                    now: now(), isSynchronised: await isSynchronised(by: bus), zone: TimeZoneName.current(environment),
                    isDesktop: environment["XDG_CURRENT_DESKTOP"]?.isEmpty == false)
            },
            timers: { try await TimerFacts.all(environment) }, now: now, localTime: .system, clock: ContinuousClock())
    }

    private static func freeSpace(_ path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, isTooMuch) = Int(clamping: status.f_bavail).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return isTooMuch ? .max : bytes
    }

    /// As the kernel has it, whichever program sets the clock (org.freedesktop.timedate1(5)).
    private static func isSynchronised(by bus: DBusAddress) async -> Bool? {
        guard let connection = try? await DBusConnection.open(bus) else { return nil }
        let reply = try? await connection.call(
            "org.freedesktop.timedate1", "/org/freedesktop/timedate1", "org.freedesktop.DBus.Properties", "Get",
            [.string("org.freedesktop.timedate1"), .string("NTPSynchronized")], timeout: .seconds(5))
        await connection.close()
        return reply?.first?.boolValue
    }
}

/// The time zone's name, which the C library does not tell.
enum TimeZoneName {
    private static let folder = "/usr/share/zoneinfo/"

    /// - Returns: nil where the environment names a zone that the machine does not know.
    static func current(_ environment: [String: String], localtime: String = "/etc/localtime") -> String? {
        if let text = environment["TZ"], !text.isEmpty {
            let name = text.hasPrefix(":") ? String(text.dropFirst()) : text
            // POSIX has them without a file: EST5EDT, <+03>-3.
            if !name.contains("/"), name.utf8.contains(where: { (0x30...0x39).contains($0) }) { return name }
            return access(name.hasPrefix("/") ? name : folder + name, R_OK) == 0 ? name : nil
        }
        // realpath rather than readlink: some have a chain of links.
        guard let real = realpath(localtime, nil) else { return "UTC" }
        defer { free(real) }
        let target = String(cString: real)
        return target.firstRange(of: "zoneinfo/").map { String(target[$0.upperBound...]) } ?? target
    }
}
