internal import DBus

/// The object that BlueZ asks while it pairs (`org.bluez.Agent1`).
///
/// Registered only while this program pairs, and never as the default agent: BlueZ asks it about our own `Pair`
/// calls only, and the desktop keeps its own.
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

    private nonisolated func manager(_ member: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
        try await daemon.call(
            BlueZName.manager, BlueZName.agentManager, member, arguments, limit: .seconds(5))
    }

    func receive(_ call: DBusMethodCall) async {
        guard call.message.interface == nil || call.message.interface == BlueZName.agent else {
            return await call.fail("org.freedesktop.DBus.Error.UnknownInterface", "no such interface")
        }
        // On the system bus anybody may try to talk to anybody.
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
            // A person answers: the next call (Cancel, say) must get through meanwhile.
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
