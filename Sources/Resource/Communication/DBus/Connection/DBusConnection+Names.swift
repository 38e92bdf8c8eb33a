extension DBusConnection {
    private static let doNotQueue: UInt32 = 4
    private static let primaryOwner = 1
    private static let alreadyOwner = 4

    /// Takes a well-known bus name, such as `org.bluez`. Taking one that this connection has already does nothing.
    /// - Throws: `DBusError.nameTaken` if another connection owns it; `.remote` if the bus does not allow it.
    public func requestName(_ name: String) async throws(DBusError) {
        try Names.requireBusName(name)
        let answer = try await call(
            BusDriver.name, BusDriver.path, BusDriver.interface, "RequestName", [.string(name), .uint32(Self.doNotQueue)])
        guard let code = answer.first?.intValue, code == Self.primaryOwner || code == Self.alreadyOwner else {
            throw .nameTaken(name)
        }
    }

    /// Gives a name up; one that this connection does not own is left alone.
    public func releaseName(_ name: String) async throws(DBusError) {
        try Names.requireBusName(name)
        _ = try await call(BusDriver.name, BusDriver.path, BusDriver.interface, "ReleaseName", [.string(name)])
    }

    /// The unique name of the connection that owns `name` now; nil if none does.
    public func owner(of name: String) async throws(DBusError) -> String? {
        try Names.requireBusName(name)
        do throws(DBusError) {
            return try await call(BusDriver.name, BusDriver.path, BusDriver.interface, "GetNameOwner", [.string(name)])
                .first?.stringValue
        } catch {
            guard error.remoteName == StandardError.nameHasNoOwner else { throw error }
            return nil
        }
    }
}
