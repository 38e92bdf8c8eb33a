internal import DBus
internal import Support

/// The object that BlueZ calls while it pairs (`org.bluez.Agent1`).
///
/// Registered only while this program pairs, and never as the default agent: BlueZ uses it for this program's own
/// `Pair` calls only, and the desktop keeps its own.
actor PairingAgent: DBusObject {
    private struct Pairing {
        let address: DeviceAddress
        let delegate: any PairingDelegate
    }

    static let path: ObjectPath = "/bluez/agent"

    private let daemon: Daemon
    private var pairings: [ObjectPath: Pairing] = [:]
    /// Questions that the delegate has not answered yet.
    private var questions: [Int: Task<Void, Never>] = [:]
    private var nextQuestion = 0

    init(daemon: Daemon) {
        self.daemon = daemon
    }

    /// Answers for one device while `body` runs.
    func serving<T: Sendable>(
        _ device: ObjectPath, _ address: DeviceAddress, _ delegate: any PairingDelegate,
        _ body: @Sendable () async -> Result<T, BluetoothError>
    ) async throws(BluetoothError) -> T {
        // BlueZ keeps one agent, with one capability, for each client.
        guard pairings.isEmpty else { throw .busy("another pairing of this program") }
        pairings[device] = Pairing(address: address, delegate: delegate)
        await daemon.bus.export(self, at: Self.path)
        let result: Result<T, BluetoothError>
        do throws(DBusError) {
            _ = try await manager("RegisterAgent", [.objectPath(Self.path), .string(delegate.capability.rawValue)])
            result = await body()
        } catch {
            result = .failure(BluetoothError(error, doing: "registering the pairing agent"))
        }
        pairings = [:]
        cancelQuestions()
        await uncancelled {
            _ = try? await self.manager("UnregisterAgent", [.objectPath(Self.path)])
            await self.daemon.bus.unexport(Self.path)
        }
        return try result.get()
    }

    private nonisolated func manager(_ member: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue]
    {
        try await daemon.call(
            BlueZName.manager, BlueZName.agentManager, member, arguments, limit: .seconds(5))
    }

    func receive(_ call: DBusMethodCall) async {
        guard call.message.interface == nil || call.message.interface == BlueZName.agent else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownInterface", "no such interface")
        }
        // On the system bus any client may send messages to any other.
        guard let owner = await daemon.cache.owner, call.message.sender == owner else {
            return await call.fail("org.freedesktop.DBus.Error.AccessDenied", "only bluetoothd may ask")
        }
        switch call.message.member {
        case "Release", "Cancel":
            cancelQuestions()
            await call.reply()
        case let member?:
            let body = call.message.body
            guard let device = body.first?.pathValue, let pairing = pairings[device] else {
                return await call.fail("org.bluez.Error.Rejected", "not a device that is being paired here")
            }
            nextQuestion += 1
            let id = nextQuestion
            // A person answers: the next call (such as Cancel) must be handled meanwhile.
            questions[id] = Task {
                await Self.answer(call, member, Array(body.dropFirst()), pairing.address, pairing.delegate)
                self.questions[id] = nil
            }
        case nil:
            await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        }
    }

    private func cancelQuestions() {
        for question in questions.values { question.cancel() }
        questions = [:]
    }
}

extension PairingAgent {
    /// Passes one method of `Agent1` to the delegate (`doc/org.bluez.Agent.rst`).
    static func answer(
        _ call: DBusMethodCall, _ member: String, _ arguments: [DBusValue], _ address: DeviceAddress,
        _ delegate: any PairingDelegate
    ) async {
        let number = arguments.first?.intValue.flatMap { UInt32(exactly: $0) }
        switch member {
        case "RequestAuthorization":
            await reply(call, await delegate.authorize(address) ? [] : nil)
        case "RequestConfirmation":
            guard let number else { return await refuse(call) }
            await reply(call, await delegate.confirm(passkey: number, of: address) ? [] : nil)
        case "RequestPasskey":
            await reply(call, await delegate.passkey(of: address).flatMap { $0 <= 999_999 ? [.uint32($0)] : nil })
        case "RequestPinCode":
            let pin = await delegate.pinCode(of: address)
            await reply(call, pin.flatMap { (1...16).contains($0.utf8.count) ? [.string($0)] : nil })
        case "DisplayPasskey":
            guard let number else { return await refuse(call) }
            await delegate.display(passkey: number, entered: arguments.dropFirst().first?.intValue ?? 0, for: address)
            await call.reply()
        case "DisplayPinCode":
            guard let pin = arguments.first?.stringValue else { return await refuse(call) }
            await delegate.display(pinCode: pin, for: address)
            await call.reply()
        case "AuthorizeService":
            // About services that the peripheral wants to use on this side: there are none.
            await refuse(call)
        default:
            await call.fail("org.freedesktop.DBus.Error.UnknownMethod", "no such method")
        }
    }

    private static func reply(_ call: DBusMethodCall, _ values: [DBusValue]?) async {
        guard let values, !Task.isCancelled else { return await refuse(call) }
        await call.reply(values)
    }

    private static func refuse(_ call: DBusMethodCall) async {
        await call.fail("org.bluez.Error.Rejected", "refused")
    }
}
