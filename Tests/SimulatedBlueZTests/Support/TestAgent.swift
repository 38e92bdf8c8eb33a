import DBus
import SimulatedBlueZ

/// A pairing agent that answers everything in the same way, and records the questions.
final class TestAgent: DBusObject {
    static let path: ObjectPath = "/test/agent"

    enum Answer: Sendable {
        case accept, reject
        case passkey(UInt32)
        case silence
    }

    private let answer: Answer
    private let asked: AsyncStream<String>.Continuation
    /// Questions with their numbers: `RequestConfirmation 123456`.
    let questions: AsyncStream<String>

    init(_ answer: Answer) {
        self.answer = answer
        (questions, asked) = AsyncStream.makeStream()
    }

    func receive(_ call: DBusMethodCall) async {
        let number = call.message.body.dropFirst().first?.intValue.map { " \($0)" } ?? ""
        asked.yield((call.message.member ?? "") + number)
        switch answer {
        case .accept: await call.reply()
        case .reject: await call.fail("org.bluez.Error.Rejected", "No")
        case .passkey(let passkey): await call.reply([.uint32(passkey)])
        case .silence: silent.append(call)
        }
    }

    /// Keeps the calls: a call that is dropped would be answered.
    private let silent = Kept()

    private final class Kept: Sendable {
        private let calls = AsyncStream<DBusMethodCall>.makeStream()
        func append(_ call: DBusMethodCall) { calls.continuation.yield(call) }
    }

    func register(with client: BusClient, capability: String = "KeyboardDisplay") async throws {
        await client.connection.export(self, at: Self.path)
        try await client.call(
            "/org/bluez", "AgentManager1", "RegisterAgent", [.objectPath(Self.path), .string(capability)])
    }

    func firstQuestion() async -> String? {
        for await question in questions { return question }
        return nil
    }
}
