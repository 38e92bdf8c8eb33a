internal import CDBus
internal import Synchronization

extension DBusConnection {
    /// Makes `object` answer the calls for `path`, instead of the object that was exported there before.
    ///
    /// Calls for a path without an exported object are answered with `org.freedesktop.DBus.Error.UnknownObject`;
    /// `org.freedesktop.DBus.Peer` is answered for every path. On a closed connection this does nothing.
    /// - Parameters:
    ///   - object: kept until it is unexported, or the connection is closed.
    ///   - path: the path of the object.
    ///   - subtree: also for all paths below that have no export of their own.
    ///   - executor: runs the object's methods that belong to no actor; nil for Swift's pool.
    public func export(
        _ object: any DBusObject, at path: ObjectPath, subtree: Bool = false, on executor: (any TaskExecutor)? = nil
    ) {
        guard transport != nil else { return }
        exports.add(Export(object, includesSubtree: subtree, on: executor), at: path)?.end()
    }

    /// Removes an exported object. Calls that still wait for it are answered with `UnknownObject`.
    public func unexport(_ path: ObjectPath) {
        exports.remove(path)?.end()
    }

    func receiveCall(_ message: borrowing ReceivedMessage) {
        let call: DBusMessage
        do throws(BodyReader.TooManyValues) {
            guard let decoded = try message.decoded() else { return }
            call = decoded
        } catch {
            return refuse(message, StandardError.limitsExceeded, ReceivedMessage.tooManyValues)
        }
        if call.interface == PeerInterface.name { return answerPeer(call) }
        guard let path = call.path, let export = exports.export(for: path) else {
            return answer(
                call, withError: StandardError.unknownObject, "no object at \(call.path?.string ?? "no path")")
        }
        export.deliver(DBusMethodCall(call, on: self))
    }

    func answer(_ call: DBusMessage, with values: [DBusValue]) {
        guard !call.noReplyExpected else { return }
        do throws(DBusError) {
            try post(try OutgoingMessage.reply(to: call.serial, of: call.sender, values, order: keyOrder))
        } catch .disconnected {
            // The connection is closed: no answer can be sent.
        } catch {
            answer(call, withError: StandardError.failed, "the reply \(error.description)")
        }
    }

    func answer(_ call: DBusMessage, withError name: String, _ text: String) {
        guard !call.noReplyExpected else { return }
        refuse(call.serial, call.sender, name, text)
    }

    private func answerPeer(_ call: DBusMessage) {
        switch PeerInterface.answer(call.member) {
        case .success(let values): answer(call, with: values)
        case .failure(let refusal): answer(call, withError: refusal.name, refusal.text)
        }
    }

    private func refuse(_ message: borrowing ReceivedMessage, _ name: String, _ text: String) {
        guard !message.noReplyExpected else { return }
        refuse(message.serial, message.sender, name, text)
    }

    private func refuse(_ serial: UInt32, _ sender: String?, _ name: String, _ text: String) {
        let shown = text.utf8.contains(0) ? text.filter { $0 != "\0" } : text
        do throws(DBusError) {
            try post(try OutgoingMessage.error(to: serial, of: sender, name, shown))
        } catch .invalidMessage where name != StandardError.failed {
            // An answer with a wrong name is better than none.
            refuse(serial, sender, StandardError.failed, "\(name.escapedForMessages): \(shown)")
        } catch {
            // The connection is closed: no answer can be sent.
        }
    }
}

/// An object that answers method calls.
public protocol DBusObject: Sendable {
    /// Called for each method call to the exported path, in the order of arrival. The next call follows after this
    /// returns: answer at once through `call`, or keep `call` and answer later from another task.
    ///
    /// Interface and member may be anything; `interface` is nil if the caller did not name one.
    func receive(_ call: DBusMethodCall) async
}

/// A method call that expects an answer. It is answered once; if it is dropped without an answer, the caller gets
/// `org.freedesktop.DBus.Error.Failed`.
public struct DBusMethodCall: Sendable {
    /// The call: path, interface, member, sender and arguments.
    public let message: DBusMessage

    private let answer: Answer

    init(_ message: DBusMessage, on connection: DBusConnection) {
        self.message = message
        answer = Answer(message, connection)
    }

    /// Answers with results. Values that cannot be sent become an error reply. After the first answer this does
    /// nothing.
    public func reply(_ values: [DBusValue] = []) async {
        guard answer.claim() else { return }
        await answer.connection.answer(message, with: values)
    }

    /// Answers with an error. After the first answer this does nothing.
    /// - Parameters:
    ///   - name: an error name, such as `org.bluez.Error.NotReady`.
    ///   - text: what happened, in words for a user.
    public func fail(_ name: String, _ text: String) async {
        guard answer.claim() else { return }
        await answer.connection.answer(message, withError: name, text)
    }
}

/// Records whether a call was answered, and answers it with an error if it is released without an answer.
private final class Answer: Sendable {
    let connection: DBusConnection
    private let message: DBusMessage
    private let isGiven = Atomic(false)

    init(_ message: DBusMessage, _ connection: DBusConnection) {
        self.message = message
        self.connection = connection
    }

    /// True for the first caller only.
    func claim() -> Bool {
        !isGiven.exchange(true, ordering: .relaxed)
    }

    deinit {
        guard claim() else { return }
        connection.enqueue { [message] in
            $0.answer(message, withError: StandardError.failed, "the call was dropped without an answer")
        }
    }
}

/// An exported object, with the calls that wait for it.
final class Export: Sendable {
    /// Calls that may wait while the object is busy; beyond that they are refused.
    static let maximumWaiting = 1024

    let includesSubtree: Bool
    private let calls: AsyncStream<DBusMethodCall>.Continuation
    private let state = State()

    init(_ object: any DBusObject, includesSubtree: Bool, on executor: (any TaskExecutor)?) {
        self.includesSubtree = includesSubtree
        let (stream, continuation) = AsyncStream.makeStream(
            of: DBusMethodCall.self, bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
        calls = continuation
        // The task does not hold the export, so that releasing the export ends the task. The task is not cancelled: an
        // object may be unexported by one of its own methods, which must still finish.
        Task(executorPreference: executor) { [state] in
            for await call in stream {
                if state.isEnded.load(ordering: .acquiring) {
                    await call.fail(StandardError.unknownObject, "the object is gone")
                } else {
                    await object.receive(call)
                }
            }
        }
    }

    deinit {
        end()
    }

    func deliver(_ call: DBusMethodCall) {
        if case .dropped = calls.yield(call) {
            Task { await call.fail(StandardError.limitsExceeded, "too many calls are waiting") }
        }
    }

    /// Calls that still wait are answered with an error.
    func end() {
        state.isEnded.store(true, ordering: .releasing)
        calls.finish()
    }

    private final class State: Sendable {
        let isEnded = Atomic(false)
    }
}

/// Which object answers for which path.
struct ExportTable {
    private var exports: [ObjectPath: Export] = [:]

    /// - Returns: what was exported there before.
    mutating func add(_ export: Export, at path: ObjectPath) -> Export? {
        exports.updateValue(export, forKey: path)
    }

    mutating func remove(_ path: ObjectPath) -> Export? {
        exports.removeValue(forKey: path)
    }

    mutating func removeAll() -> [Export] {
        defer { exports = [:] }
        return Array(exports.values)
    }

    /// The object at `path`, else the nearest above it that answers for its subtree.
    func export(for path: ObjectPath) -> Export? {
        if let export = exports[path] { return export }
        var above = path.parent
        while let ancestor = above {
            if let export = exports[ancestor], export.includesSubtree { return export }
            above = ancestor.parent
        }
        return nil
    }
}

/// `org.freedesktop.DBus.Peer`, which every connection answers on every path (D-Bus specification, "Standard
/// Interfaces").
enum PeerInterface {
    static let name = "org.freedesktop.DBus.Peer"

    struct Refusal: Error {
        let name: String
        let text: String
    }

    static func answer(_ member: String?) -> Result<[DBusValue], Refusal> {
        switch member {
        case "Ping":
            return .success([])
        case "GetMachineId":
            guard let identifier = dbus_try_get_local_machine_id(nil) else {
                return .failure(Refusal(name: StandardError.failed, text: "this machine has no id"))
            }
            defer { dbus_free(identifier) }
            return .success([.string(String(cString: identifier))])
        default:
            return .failure(Refusal(name: StandardError.unknownMethod, text: "\(name) has no method '\(member ?? "")'"))
        }
    }
}
