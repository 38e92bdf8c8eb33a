import DBus
import PrivateBus

/// Runs a test with its own bus and two connections, which are closed afterwards.
func withBus<Result: Sendable>(
    _ body: @Sendable (PrivateBus, _ client: DBusConnection, _ server: DBusConnection) async throws -> Result
) async throws -> Result {
    let bus = try await PrivateBus.start()
    defer { bus.stop() }
    let client = try await DBusConnection.open(.address(bus.address))
    let server = try await DBusConnection.open(.address(bus.address))
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(bus, client, server)) } catch { result = .failure(error) }
    await client.close()
    await server.close()
    return try result.get()
}

/// Answers every call with its own arguments.
struct Echo: DBusObject {
    static let path: ObjectPath = "/echo"

    func receive(_ call: DBusMethodCall) async {
        await call.reply(call.message.body)
    }
}

/// Passes every call to the test, which may answer it.
struct Inbox: DBusObject {
    let calls: AsyncStream<DBusMethodCall>
    private let continuation: AsyncStream<DBusMethodCall>.Continuation

    init() {
        (calls, continuation) = AsyncStream.makeStream(of: DBusMethodCall.self)
    }

    func receive(_ call: DBusMethodCall) async {
        continuation.yield(call)
    }

    func next() async -> DBusMethodCall? {
        for await call in calls { return call }
        return nil
    }
}

extension DBusConnection {
    /// A call of the method `test.Interface.Method`.
    func callTest(
        _ destination: DBusConnection, _ path: ObjectPath, _ arguments: [DBusValue] = [],
        timeout: Duration = .seconds(120)
    ) async throws -> [DBusValue] {
        try await call(destination.uniqueName, path, "test.Interface", "Method", arguments, timeout: timeout)
    }

    /// A call that the bus itself answers.
    func callBus(_ member: String, _ arguments: [DBusValue] = []) async throws -> [DBusValue] {
        try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments)
    }

    /// The match rules of a connection, as recorded by the bus.
    func matchRules(of connection: DBusConnection) async throws -> [String] {
        let all = try await call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Debug.Stats", "GetAllMatchRules")
        return all.first?.dictionaryValue?[.string(connection.uniqueName)]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}

extension DBusSignals {
    func first() async -> DBusMessage? {
        for await signal in self { return signal }
        return nil
    }
}

/// The error that `body` throws; nil if it does not.
func failure(_ body: () async throws -> Void) async -> DBusError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DBusError
    }
}
