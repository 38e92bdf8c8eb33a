public import DBus

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
