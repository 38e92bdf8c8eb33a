internal import CPostgres
internal import Glibc
public import Support

/// One connection by libpq, used by one thread. It never waits longer than a limit, and ends early if the task that
/// waits for it is cancelled.
public final class PostgresConnection {
    private let library: cpostgres
    private let connection: OpaquePointer
    private let wakeup: Wakeup
    /// Seconds of silence after which the connection counts as lost.
    private let timeout: Double
    /// The end of the present statement or of connecting, whatever the server sends meanwhile.
    private var end = ContinuousClock.now
    /// A statement may take this many times the longest silence.
    private static let maximumSilences = 10.0
    /// A commit was sent, and its answer has not come.
    private var isCommitting = false

    /// Connects, does something and disconnects, on a thread that may wait.
    ///
    /// - Parameters:
    ///   - password: nil if the server asks for none, or libpq knows it (`~/.pgpass`).
    ///   - seconds: of silence after which the server counts as lost.
    /// - Throws: `PostgresError`; its reasons have no password in them.
    public static func with<R: Sendable>(
        _ address: PostgresAddress, password: Secret?, seconds: Double = 30,
        _ body: @escaping @Sendable (PostgresConnection) throws(PostgresError) -> R
    ) async throws(PostgresError) -> R {
        let wakeup = Wakeup()
        let result = await withTaskCancellationHandler {
            try? await blocking { () -> Result<R, PostgresError> in
                do throws(PostgresError) {
                    return .success(
                        try body(try PostgresConnection(address, password, seconds: seconds, wakeup: wakeup)))
                } catch {
                    return .failure(error)
                }
            }
        } onCancel: {
            wakeup.wake()
        }
        guard let result else { throw .cancelled(mayBeCommitted: false) }
        return try result.get()
    }

    /// The same on this thread, which waits: for what cannot be passed to another one.
    public static func on<R>(
        _ address: PostgresAddress, password: Secret?, seconds: Double = 30, _ body: (PostgresConnection) throws -> R
    ) throws -> R {
        try body(try PostgresConnection(address, password, seconds: seconds, wakeup: Wakeup()))
    }

    private init(
        _ address: PostgresAddress, _ password: Secret?, seconds: Double, wakeup: Wakeup
    ) throws(PostgresError) {
        library = try PostgresLibrary.loaded.get().pointers
        self.wakeup = wakeup
        timeout = seconds
        var parameters = address.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        parameters += [
            ("application_name", "istep"), ("client_encoding", "UTF8"), ("tcp_user_timeout", "\(Int(seconds * 1000))"),
        ]
        if let password { parameters.append(("password", password.reveal())) }
        var keywords = parameters.map { UnsafePointer(strdup($0.0)) as UnsafePointer<CChar>? } + [nil]
        var values = parameters.map { UnsafePointer(strdup($0.1)) as UnsafePointer<CChar>? } + [nil]
        defer { for text in keywords + values { free(UnsafeMutablePointer(mutating: text)) } }
        // 1: `dbname` may be a URI.
        guard let connection = library.PQconnectStartParams(&keywords, &values, 1) else {
            throw .notConnected(credentials: false, reason: "there is not enough memory")
        }
        self.connection = connection
        // The server's notices would be printed on standard error.
        _ = library.PQsetNoticeReceiver(connection, { _, _ in }, nil)
        try open()
        _ = library.PQsetnonblocking(connection, 1)
    }

    deinit { library.PQfinish(connection) }

    // MARK: Statements

    /// Carries out one statement.
    ///
    /// - Parameters:
    ///   - values: of `$1` and so on, as texts.
    ///   - isLock: whether the server may be silent for all of the time: it waits for another connection.
    ///   - meanwhile: done while the server carries it out.
    /// - Returns: the rows, each with its columns as texts; nil is NULL.
    @discardableResult
    public func run(
        _ statement: String, _ values: [String?] = [], isLock: Bool = false, meanwhile: () -> Void = {}
    ) throws(PostgresError) -> [[String?]] {
        begin()
        var texts = values.map { $0.map { UnsafePointer(strdup($0)) as UnsafePointer<CChar>? } ?? nil }
        defer { for text in texts { free(UnsafeMutablePointer(mutating: text)) } }
        guard library.PQsendQueryParams(connection, statement, Int32(texts.count), nil, &texts, nil, nil, 0) == 1 else {
            throw lost(message)
        }
        try flush()
        meanwhile()
        return try results(isLock)
    }

    /// Reads the rows of a query one after the other, in a transaction. A few thousand of them are in memory at a time.
    ///
    /// - Throws: `PostgresError`; what `body` throws.
    public func each(_ query: String, _ values: [String?], _ body: ([String?]) throws -> Void) throws {
        try run("DECLARE istep_rows NO SCROLL CURSOR FOR \(query)", values)
        while true {
            let rows = try run("FETCH \(Self.fetched) FROM istep_rows")
            for row in rows { try body(row) }
            if rows.count < Self.fetched { break }
        }
        try run("CLOSE istep_rows")
    }

    private static let fetched = 2000

    /// Ends a transaction. If it fails by `lost`, the server may have committed it.
    public func commit() throws(PostgresError) {
        isCommitting = true
        try run("COMMIT")
        isCommitting = false
    }

    // MARK: Waiting

    private func begin() { end = .now + .seconds(timeout * Self.maximumSilences) }

    private func open() throws(PostgresError) {
        begin()
        var events = Int16(POLLOUT)
        while library.PQstatus(connection) != CONNECTION_BAD {
            do throws(PostgresError) {
                try wait(for: events)
            } catch {
                guard case .lost = error else { throw error }
                throw .notConnected(credentials: false, reason: "could not connect within \(brief(timeout)) s")
            }
            switch library.PQconnectPoll(connection) {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_READING: events = Int16(POLLIN)
            case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
            default: break
            }
        }
        // libpq does not pass on the SQLSTATE of a refused connection. With a server that has other words, the refusal
        // counts as temporary.
        let isRefused =
            library.PQconnectionNeedsPassword(connection) == 1 || message.contains("authentication failed")
        throw .notConnected(credentials: isRefused, reason: message)
    }

    /// Sends what is waiting in libpq's buffer.
    private func flush() throws(PostgresError) {
        while true {
            let rest = library.PQflush(connection)
            if rest == 0 { return }
            guard rest == 1 else { throw lost(message) }
            // The server may have to send before it reads on.
            if try wait(for: Int16(POLLIN | POLLOUT)) & Int16(POLLIN) != 0 { try consume() }
        }
    }

    private func consume() throws(PostgresError) {
        guard library.PQconsumeInput(connection) == 1 else { throw lost(message) }
    }

    /// The results of a statement, to the last.
    private func results(_ isLock: Bool) throws(PostgresError) -> [[String?]] {
        var rows: [[String?]] = []
        var failure: PostgresError?
        while true {
            while library.PQisBusy(connection) == 1 {
                try wait(for: Int16(POLLIN), isLock)
                try consume()
            }
            guard let result = library.PQgetResult(connection) else { break }
            defer { library.PQclear(result) }
            switch library.PQresultStatus(result) {
            case PGRES_TUPLES_OK: rows = values(of: result)
            case PGRES_COMMAND_OK: break
            default: failure = refusal(result)
            }
        }
        if let failure { throw failure }
        return rows
    }

    private func values(of result: OpaquePointer) -> [[String?]] {
        (0..<library.PQntuples(result)).map { row in
            (0..<library.PQnfields(result)).map { column in
                guard library.PQgetisnull(result, row, column) == 0 else { return nil }
                return library.PQgetvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }

    /// - Returns: the events that came.
    @discardableResult
    private func wait(for events: Int16, _ isLock: Bool = false) throws(PostgresError) -> Int16 {
        var descriptors = [
            pollfd(fd: library.PQsocket(connection), events: events, revents: 0),
            pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // Before the poll: of a server that sends without a pause, there is always something to read.
        if end <= .now { throw unanswered }
        let deadline = isLock ? end : min(end, .now + .seconds(timeout))
        while true {
            let left = (deadline - .now) / Duration.milliseconds(1)
            let count = poll(&descriptors, nfds_t(descriptors.count), Int32(max(0, left.rounded(.up))))
            if descriptors[1].revents != 0 { throw .cancelled(mayBeCommitted: isCommitting) }
            if count > 0 { return descriptors[0].revents }
            if count == 0 {
                throw deadline < end ? lost("the server was silent for \(brief(timeout)) s") : unanswered
            }
            guard errno == EINTR else { throw lost(String(cString: strerror(errno))) }
        }
    }

    // MARK: Errors

    /// libpq's message of the last failure in one line; it names no password.
    private var message: String {
        Self.line(library.PQerrorMessage(connection).map { String(cString: $0) } ?? "")
    }

    private var unanswered: PostgresError {
        lost("the server did not answer within \(brief(timeout * Self.maximumSilences)) s")
    }

    private func lost(_ reason: String) -> PostgresError { .lost(mayBeCommitted: isCommitting, reason: reason) }

    private func refusal(_ result: OpaquePointer) -> PostgresError {
        // The letters C and M of the protocol's fields (libpq-fe.h: PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY).
        func field(_ letter: UInt8) -> String? {
            library.PQresultErrorField(result, Int32(letter)).map { String(cString: $0) }
        }
        guard let state = field(UInt8(ascii: "C")) else { return lost(message) }
        return .refused(state: state, reason: Self.line(field(UInt8(ascii: "M")) ?? message))
    }

    /// A text of the server's in one short line, fit for a terminal.
    private static func line(_ text: String) -> String {
        let words = text.split(whereSeparator: \.isNewline).map { $0.trimming(while: \.isWhitespace) }
        return String(stripped(words.joined(separator: " ")).prefix(300))
    }
}
