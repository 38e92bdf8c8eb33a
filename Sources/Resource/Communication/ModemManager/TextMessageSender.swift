public import DBus
internal import Support

/// Text messages (SMS) through a modem, by ModemManager on the system bus.
///
/// ```swift
/// let messages = try await TextMessageSender.open()
/// let identity = try await messages.send("12,034 steps", to: "+491701234567")
/// ```
///
/// The modem's settings are not changed: one that is switched off or locked stays so, and is reported as such.
public actor TextMessageSender: BusClient {
    /// The most parts that a text may take; each costs as much as a message.
    public static let maximumParts = 3

    let bus: DBusConnection
    /// The unique bus name of ModemManager. A process that starts later has other messages under the same paths.
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
    ///   - modem: its number as `mmcli -L` shows it, its path on the bus, or its equipment identifier (IMEI), which is
    ///     the only one that does not change. Nil for the only modem there is.
    ///   - limits: how long to wait.
    /// - Throws: `TextMessageError`. Nothing is sent.
    public static func open(
        _ address: DBusAddress = .system, modem: String? = nil, limits: MessageLimits = MessageLimits()
    ) async throws(TextMessageError) -> TextMessageSender {
        let bus: DBusConnection
        do {
            bus = try await DBusConnection.open(address, timeout: limits.call)
        } catch {
            throw TextMessageError(error, doing: "connecting to the bus")
        }
        return try await cleaningUpOnFailure({ await bus.close() }) { () async throws(TextMessageError) in
            let daemon = try await Self.daemon(bus, limits)
            let chosen = try ModemChoice(wanted: modem).choose(from: try await Self.modems(of: daemon, bus, limits))
            guard let path = ObjectPath(chosen.path) else { throw .noModem(wanted: modem) }
            return TextMessageSender(bus: bus, daemon: daemon, path: path, limits: limits)
        }
    }

    /// The modem as it is now.
    /// - Throws: `TextMessageError.noModem` if it is gone, and the failures of the bus.
    public func modem() async throws(TextMessageError) -> Modem {
        let reply: [DBusValue]
        do {
            reply = try await call(path, StandardInterface.properties, "GetAll", [.string(ModemManagerName.modem)])
        } catch {
            if error.saysUnknownObject { throw .noModem(wanted: path.string) }
            throw TextMessageError(error, doing: "asking for the modem")
        }
        return Modem(path, reply.first?.propertiesValue ?? [:], canSendMessages: true)
    }

    /// Ends the connection. A message that is being sent is still sent.
    public func close() async {
        await bus.close()
    }

    /// A call to the ModemManager process that was found first.
    func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        timeout: Duration? = nil
    ) async throws(DBusError) -> [DBusValue] {
        try await bus.call(daemon, path, interface, member, arguments, timeout: timeout ?? limits.call)
    }

    /// The unique name of ModemManager on this bus. It is started if it does not run and the bus can start it.
    private static func daemon(_ bus: DBusConnection, _ limits: MessageLimits) async throws(TextMessageError) -> String
    {
        do throws(DBusError) {
            if let daemon = try await bus.owner(of: ModemManagerName.service) { return daemon }
            // Its bus policy lets users call few interfaces; this one is always allowed.
            _ = try await bus.call(
                ModemManagerName.service, ModemManagerName.root, StandardInterface.objectManager, "GetManagedObjects",
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
                    daemon, ModemManagerName.root, StandardInterface.objectManager, "GetManagedObjects",
                    timeout: limits.call))
        } catch {
            throw TextMessageError(error, doing: "asking ModemManager for its modems")
        }
    }
}

extension TextMessageSender {
    /// Makes a message and sends it.
    ///
    /// After an error with `mayHaveBeenSent` the message stays in ModemManager, for `find` and for the user; after all
    /// others it is deleted again.
    /// - Parameters:
    ///   - text: at most `maximumParts` parts long (`MessageSize`); line feeds are the only control characters in it.
    ///   - number: `PhoneNumber`.
    /// - Returns: the path of the message on the bus, which identifies it as long as ModemManager runs.
    /// - Throws: `TextMessageError`.
    public func send(_ text: String, to number: String) async throws(TextMessageError) -> String {
        let draft = try MessageDraft(text, to: number)
        try await modem().requireReady()
        let message = try await create(draft)
        do {
            // From here on the outcome is unknown, unless the answer shows it.
            _ = try await call(message, ModemManagerName.message, "Send", timeout: limits.send)
            return message.string
        } catch {
            let failure = SendFailure.error(error, parts: draft.size.parts)
            if !failure.mayHaveBeenSent { await delete(message) }
            throw failure
        }
    }

    /// Deletes from ModemManager the messages with this text and number that were sent, so that `find` finds only one
    /// that is sent later. This does not affect the network or the receiver. A message that cannot be deleted is left.
    ///
    /// A path, as `send` returns it, is not enough to delete a message: after ModemManager has ended, another one can
    /// have it.
    /// - Throws: `TextMessageError`; nothing is sent.
    public func forget(_ text: String, to number: String) async throws(TextMessageError) {
        let draft = try MessageDraft(text, to: number)
        for message in try await list().suffix(Self.maximumMessages) {
            if try await state(of: message, ifLike: draft) == .sent { await delete(message) }
        }
    }

    private func create(_ draft: MessageDraft) async throws(TextMessageError) -> ObjectPath {
        let properties: [String: DBusValue] = [
            "number": .string(draft.number.description), "text": .string(draft.text),
        ]
        let reply: [DBusValue]
        do {
            reply = try await call(path, ModemManagerName.messaging, "Create", [.properties(properties)])
        } catch {
            throw TextMessageError(error, doing: "making a text message")
        }
        guard let message = reply.first?.pathValue else {
            throw .refused(reason: "ModemManager made a text message and did not say which")
        }
        return message
    }

    private func delete(_ message: ObjectPath) async {
        // Also for a task that was cancelled; a message that stays in the list does no harm.
        let bus = bus, daemon = daemon, path = path, limit = limits.call
        await uncancelled {
            _ = try? await bus.call(
                daemon, path, ModemManagerName.messaging, "Delete", [.objectPath(message)], timeout: limit)
        }
    }
}

extension TextMessageSender {
    /// The maximum number of messages that are checked.
    private static let maximumMessages = 500

    /// Finds out what became of a message that may have been sent: looks for one with this text and number among those
    /// that ModemManager knows.
    ///
    /// One that was sent takes precedence over others with the same text and number.
    /// - Throws: `TextMessageError`; nothing is sent.
    public func find(_ text: String, to number: String) async throws(TextMessageError) -> Finding {
        let draft = try MessageDraft(text, to: number)
        var found = Finding.absent
        for message in try await list().suffix(Self.maximumMessages).reversed() {
            guard let state = try await state(of: message, ifLike: draft) else { continue }
            if state == .sent { return .sent(message.string) }
            if found == .absent { found = .unclear(message.string) }
        }
        return found
    }

    private func list() async throws(TextMessageError) -> [ObjectPath] {
        do {
            let reply = try await call(path, ModemManagerName.messaging, "List")
            return reply.first?.arrayValue?.compactMap(\.pathValue) ?? []
        } catch {
            // ModemManager knows no messages of a modem that is switched off: in that case this is the error to report.
            if error.remoteName == MessageErrorName.wrongState { try await modem().requireReady() }
            throw TextMessageError(error, doing: "listing the text messages")
        }
    }

    /// Nil for another message, one that was received, and one that is gone.
    private func state(of message: ObjectPath, ifLike draft: MessageDraft) async throws(TextMessageError)
        -> MessageState?
    {
        let reply: [DBusValue]
        do {
            reply = try await call(message, StandardInterface.properties, "GetAll", [.string(ModemManagerName.message)])
        } catch {
            if error.saysUnknownObject { return nil }
            throw TextMessageError(error, doing: "looking at a text message")
        }
        guard let properties = reply.first?.propertiesValue, properties["Text"]?.stringValue == draft.text,
            properties["Number"]?.stringValue == draft.number.description
        else { return nil }
        let state = properties["State"]?.intValue.flatMap(MessageState.init) ?? .unknown
        return state == .receiving || state == .received ? nil : state
    }
}

/// The progress of a message (`MMSmsState`).
enum MessageState: Int {
    case unknown, stored, receiving, received, sending, sent
}

/// What ModemManager knows of a message that may have been sent.
///
/// There is no finding "certainly not sent". ModemManager marks a message as sent when the modem confirmed it. Before
/// that, while it is being sent, and after an attempt that failed or whose result the modem never reported, it has the
/// same state as a message that was never sent (read in ModemManager 1.20.4 and 1.25). When ModemManager ends, all its
/// messages are lost.
public enum Finding: Sendable, Hashable {
    /// Sent, as the modem confirmed. The path of the message on the bus.
    case sent(String)
    /// The message is there and not marked as sent: it was never tried, is being sent now, or an attempt had no clear
    /// result.
    case unclear(String)
    /// No such message is known: it was never created, was deleted, or ModemManager or the modem restarted since.
    case absent
}

/// How long ModemManager may take.
public struct MessageLimits: Sendable, Hashable {
    /// Limit of every call except sending.
    public var call: Duration
    /// Limit of sending a message with all of its parts. ModemManager itself allows up to five minutes for each part;
    /// if sending takes longer than this limit, the error is `TextMessageError.unanswered`, and the message may be
    /// found as sent later.
    public var send: Duration

    /// Limits that allow for a network with bad reception.
    public init(call: Duration = .seconds(25), send: Duration = .seconds(120)) {
        self.call = call
        self.send = send
    }
}

/// Names of ModemManager's D-Bus interface (its reference manual, "Part III. D-Bus API Reference", since 1.0).
enum ModemManagerName {
    static let service = "org.freedesktop.ModemManager1"
    static let root: ObjectPath = "/org/freedesktop/ModemManager1"
    static let modems: ObjectPath = "/org/freedesktop/ModemManager1/Modem"
    static let modem = "org.freedesktop.ModemManager1.Modem"
    static let messaging = "org.freedesktop.ModemManager1.Modem.Messaging"
    static let message = "org.freedesktop.ModemManager1.Sms"
}
