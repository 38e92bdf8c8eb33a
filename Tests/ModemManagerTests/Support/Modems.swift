import DBus
import ModemManager
import ModemTestSupport
import PrivateBus
import Testing

/// Runs `body` with a private bus and a fake ModemManager, and ends both afterwards.
func withModemManager(
    _ modems: [Int: FakeModem] = [0: FakeModem()], _ body: (PrivateBus, FakeModemManager) async throws -> Void
) async throws {
    let bus = try await PrivateBus.start()
    defer { bus.stop() }
    let fake = try await FakeModemManager.start(bus.address, modems: modems)
    try await body(bus, fake)
    await fake.stop()
}

/// The same, with a connected client.
func withMessages(
    _ modem: FakeModem = FakeModem(), limits: MessageLimits = MessageLimits(),
    _ body: (TextMessageSender, FakeModemManager) async throws -> Void
) async throws {
    try await withModemManager([0: modem]) { bus, fake in
        let messages = try await TextMessageSender.open(.address(bus.address), limits: limits)
        try await body(messages, fake)
        await messages.close()
    }
}

/// The error that `body` throws; nil if it does not.
func failure(_ body: () async throws -> Void) async -> TextMessageError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? TextMessageError
    }
}

let receiver = "+491701234567"
