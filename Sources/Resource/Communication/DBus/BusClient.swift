internal import Support

/// Something that uses a connection to a bus until it is closed: the connection itself, or a service that is called
/// over it.
public protocol BusClient: Sendable {
    /// Ends the connection. Closing again does nothing.
    func close() async
}

extension BusClient {
    /// Runs `body`, then closes this client in every case: return, error and cancellation.
    ///
    /// ```swift
    /// let reply = try await DBusConnection.open(.system).closing { bus in
    ///     try await bus.call("org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    /// }
    /// ```
    ///
    /// - Throws: what `body` throws.
    public func closing<R, E: Error>(
        isolation: isolated (any Actor)? = #isolation, after body: (Self) async throws(E) -> R
    ) async throws(E) -> R {
        try await cleaningUp({ await close() }, after: { () async throws(E) -> R in try await body(self) })
    }
}

extension DBusConnection: BusClient {}
