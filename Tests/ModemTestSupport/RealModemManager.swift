internal import DBus
internal import PrivateBus
internal import TestSupport

/// Debian's ModemManager on a private bus, with a simulated modem on a serial line.
public final class RealModemManager: Sendable {
    public enum Problem: Error {
        /// It ended, or its bus did.
        case ended(said: String)
    }

    /// The address of its bus.
    public let address: String
    public let modem: SerialModem
    private let connection: DBusConnection
    private let polkit: Polkit
    private let process: GuardedProcess

    private static let name = "org.freedesktop.ModemManager1"
    private static let root: ObjectPath = "/org/freedesktop/ModemManager1"
    private static let modemInterface = "org.freedesktop.ModemManager1.Modem"
    private static let registered = 8

    private init(address: String, connection: DBusConnection, polkit: Polkit, process: GuardedProcess) throws {
        modem = try SerialModem()
        self.address = address
        self.connection = connection
        self.polkit = polkit
        self.process = process
    }

    /// Runs `body` with a ModemManager, and stops it afterwards.
    /// - Parameter hasModem: there is a modem, which is switched off as every modem is at first.
    public static func with(hasModem: Bool = true, _ body: (RealModemManager) async throws -> Void) async throws {
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let manager = try await start(bus.address)
        do {
            if hasModem { try await manager.plugIn() }
            try await body(manager)
        } catch {
            await manager.stop()
            throw error
        }
        await manager.stop()
    }

    /// Sets whether users may send messages and switch modems on, as polkit would.
    public func allow(_ isAllowed: Bool) { polkit.allow(isAllowed) }

    /// Switches the modem on, and returns when it is registered in the network.
    public func switchOn() async throws {
        let changes = MatchRule(sender: Self.name, interface: Self.modemInterface, member: "StateChanged")
        try await seeing(changes, { $0.body.dropFirst().first?.intValue ?? 0 >= Self.registered }) {
            let path = Self.root.appending("Modem").appending("0")
            _ = try await connection.call(Self.name, path, Self.modemInterface, "Enable", [.boolean(true)])
        }
    }

    /// Kills it.
    public func stop() async {
        await process.stop()
        await connection.close()
    }

    /// Its log output so far.
    public var log: String { process.said.text }

    // MARK: Starting

    private static func start(_ address: String) async throws -> RealModemManager {
        let connection = try await DBusConnection.open(.address(address)), polkit = Polkit()
        await connection.export(polkit, at: Polkit.path)
        try await connection.requestName("org.freedesktop.PolicyKit1")
        let owners = try await connection.signals(
            MatchRule(sender: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: name))
        let process = try GuardedProcess.start(
            try GuardedProcess.find("ModemManager"),
            [
                "--debug", "--test-enable", "--test-no-udev", "--test-no-qrtr", "--test-no-suspend-resume",
                "--no-auto-scan",
            ],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address],
            directory: try GuardedProcess.makeDirectory("modemmanager"))
        for await _ in owners {
            return try RealModemManager(address: address, connection: connection, polkit: polkit, process: process)
        }
        await process.stop()
        throw Problem.ended(said: process.said.text)
    }

    /// Makes it find the modem.
    private func plugIn() async throws {
        // ModemManager shows the modem when it knows everything about it.
        let added = MatchRule(
            sender: Self.name, interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded")
        try await seeing(added, { _ in true }) {
            _ = try await connection.call(
                Self.name, Self.root, "org.freedesktop.ModemManager1.Test", "SetProfile",
                [.string("fixture"), .string("generic"), .strings([modem.port])])
        }
    }

    /// Returns when a wanted signal has arrived after the start of `body`.
    private func seeing(_ rule: MatchRule, _ isWanted: (DBusMessage) -> Bool, _ body: () async throws -> Void)
        async throws
    {
        let signals = try await connection.signals(rule)
        try await body()
        for await signal in signals where isWanted(signal) { return }
        throw Problem.ended(said: process.said.text)
    }
}
