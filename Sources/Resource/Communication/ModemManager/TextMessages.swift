public import DBus

/// Text messages (SMS) through a modem, by ModemManager on the system bus.
///
/// ```swift
/// let messages = try await TextMessages.open()
/// let identity = try await messages.send("12,034 steps", to: "+491701234567")
/// ```
///
/// Nothing of the modem is changed for it: one that is switched off or locked stays so, and is told as such.
public actor TextMessages {
    /// The most parts that a text may take; each costs as much as a message.
    public static let maximumParts = 3

    let bus: DBusConnection
    /// ModemManager's own name on the bus. Another one that starts later has other messages under the same paths.
    let daemon: String
    let path: ObjectPath
    let limits: MessageLimits

    private init(bus: DBusConnection, daemon: String, path: ObjectPath, limits: MessageLimits) {
        self.bus = bus
        self.daemon = daemon
        self.path = path
        self.limits = limits
    }

    /// Connects to ModemManager and finds the modem.
    /// - Parameters:
    ///   - modem: its number as `mmcli -L` shows it, its path on the bus, or its equipment identifier (IMEI), which alone stays the
    ///     same. Nil for the only one there is.
    ///   - limits: how long to wait.
    /// - Throws: `TextMessageError`. Nothing is sent.
    public static func open(
        _ address: DBusAddress = .system, modem: String? = nil, limits: MessageLimits = MessageLimits()
    ) async throws(TextMessageError) -> TextMessages {
        let bus: DBusConnection
        do {
            bus = try await DBusConnection.open(address, timeout: limits.call)
        } catch {
            throw TextMessageError(error, doing: "connecting to the bus")
        }
        do throws(TextMessageError) {
            let daemon = try await Self.daemon(bus, limits)
            let chosen = try ModemChoice(modem).choose(from: try await Self.modems(of: daemon, bus, limits))
            guard let path = ObjectPath(chosen.path) else { throw .noModem(wanted: modem) }
            return TextMessages(bus: bus, daemon: daemon, path: path, limits: limits)
        } catch {
            await bus.close()
            throw error
        }
    }

    /// The modem as it is now.
    /// - Throws: `TextMessageError.noModem` if it is gone, and the failures of the bus.
    public func modem() async throws(TextMessageError) -> Modem {
        let reply: [DBusValue]
        do {
            reply = try await call(path, ModemManagerName.properties, "GetAll", [.string(ModemManagerName.modem)])
        } catch {
            if error.saysUnknownObject { throw .noModem(wanted: path.string) }
            throw TextMessageError(error, doing: "asking for the modem")
        }
        return Modem(path, reply.first?.propertiesValue ?? [:], canSendMessages: true)
    }

    /// Ends the connection. A message that is being sent goes on being sent.
    public func close() async {
        await bus.close()
    }

    /// A call to the ModemManager that was there at first.
    func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [], timeout: Duration? = nil
    ) async throws(DBusError) -> [DBusValue] {
        try await bus.call(daemon, path, interface, member, arguments, timeout: timeout ?? limits.call)
    }

    /// ModemManager's own name on this bus. It is started if it does not run and the bus knows how.
    private static func daemon(_ bus: DBusConnection, _ limits: MessageLimits) async throws(TextMessageError) -> String {
        do throws(DBusError) {
            if let daemon = try await bus.owner(of: ModemManagerName.service) { return daemon }
            // Its bus policy lets users call few interfaces; this one always.
            _ = try await bus.call(
                ModemManagerName.service, ModemManagerName.root, ModemManagerName.objectManager, "GetManagedObjects",
                timeout: limits.call)
            if let daemon = try await bus.owner(of: ModemManagerName.service) { return daemon }
        } catch {
            throw TextMessageError(error, doing: "looking for ModemManager")
        }
        throw .notRunning
    }

    private static func modems(
        of daemon: String, _ bus: DBusConnection, _ limits: MessageLimits
    ) async throws(TextMessageError) -> [Modem] {
        do {
            return Modem.all(
                in: try await bus.call(
                    daemon, ModemManagerName.root, ModemManagerName.objectManager, "GetManagedObjects", timeout: limits.call))
        } catch {
            throw TextMessageError(error, doing: "asking ModemManager for its modems")
        }
    }
}
