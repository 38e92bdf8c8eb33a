internal import Foundation
public import PageExchange
internal import Support

/// Access to the pages: tokens that open them once, and sessions of browsers, as files that only this user can read.
///
/// Files, because sessions must survive restarts of a socket-activated server, and because `istep serve --open` issues
/// a token to a running server by writing a file. The server never prints tokens or sessions and never writes them to a
/// log.
public struct AccessFolder: PageAccess {
    /// Only this user can read what is in it.
    public let path: String
    private let now: @Sendable () -> Int

    public struct Failure: Error, CustomStringConvertible {
        public let path: String
        public let reason: String
        public var description: String { "The directory \(quoted(path)) cannot be used: \(reason)." }
    }

    /// Sessions that are kept; older ones end first.
    static let maximumSessions = 32

    /// - Parameters:
    ///   - path: the path of the folder, which is created if it does not exist.
    ///   - now: seconds since 1970.
    /// - Throws: `Failure`, also if the folder belongs to another user or others can read it.
    public init(path: String, now: @escaping @Sendable () -> Int = systemTime) throws(Failure) {
        self.path = path
        self.now = now
        for folder in [directoryName(path), path] where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw Failure(path: path, reason: String(cString: strerror(errno)))
        }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw Failure(path: path, reason: "it is not a directory of this user")
        }
        guard status.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0 else {
            throw Failure(path: path, reason: "others can read it")
        }
    }

    /// Seconds since 1970 by the machine's clock.
    @Sendable public static func systemTime() -> Int { time(nil) }

    /// A new token: 256 random bits. It opens the pages once.
    public func issueToken() throws(Failure) -> String {
        removeExpired()
        let token = Self.random()
        try write("", to: "token-\(token)")
        return token
    }

    public func redeem(_ token: String) -> PageSession? {
        guard Self.isKey(token) else { return nil }
        let file = path + "/token-\(token)"
        let isFresh = age(file).map { $0 < PageSession.tokenLifetime } ?? false
        // If two requests redeem the token at the same time, only one of them removes the file.
        guard unlink(file) == 0, isFresh else { return nil }
        let session = PageSession(cookie: Self.random(), formKey: Self.random())
        guard (try? write(session.formKey, to: "session-\(session.cookie)")) != nil else { return nil }
        return session
    }

    public func session(_ cookie: String) -> PageSession? {
        guard Self.isKey(cookie) else { return nil }
        let file = path + "/session-\(cookie)"
        guard let age = age(file), age < PageSession.lifetime, let content = FileManager.default.contents(atPath: file)
        else { return nil }
        let formKey = String(decoding: content, as: UTF8.self)
        guard Self.isKey(formKey) else { return nil }
        if age > 3600 { utimes(file, nil) }
        return PageSession(cookie: cookie, formKey: formKey)
    }

    // MARK: Proof

    /// What `ServerProbe` asks: only a server with this folder can answer.
    struct Question {
        let id: String
        let answer: String
    }

    /// What precedes the id of a question in the address of its answer.
    static let proofPath = "/proof/"

    func ask() throws(Failure) -> Question {
        removeExpired()
        let question = Question(id: Self.random(), answer: Self.random())
        try write(question.answer, to: "question-\(question.id)")
        return question
    }

    func withdraw(_ question: Question) { unlink(path + "/question-\(question.id)") }

    /// The response to a `ServerProbe`; nil for every other request.
    ///
    /// - Parameter history: what the pages show.
    public func proof(for request: ServedRequest, history: String) -> ServedResponse? {
        guard request.method == "GET", request.target.hasPrefix(Self.proofPath) else { return nil }
        let id = String(request.target.dropFirst(Self.proofPath.count)), file = path + "/question-\(id)"
        guard Self.isKey(id), age(file).map({ $0 < PageSession.tokenLifetime }) ?? false,
            let answer = FileManager.default.contents(atPath: file)
        else {
            return nil
        }
        return .plain(200, Array(answer) + Array("\n\(history)".utf8))
    }

    private func age(_ file: String) -> Int? {
        var status = stat()
        return lstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            ? max(0, now() - status.st_mtim.tv_sec) : nil
    }

    private func write(_ text: String, to name: String) throws(Failure) {
        let number = open(path + "/" + name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw Failure(path: path, reason: String(cString: strerror(errno))) }
        defer { close(number) }
        let bytes = Array(text.utf8)
        guard Foundation.write(number, bytes, bytes.count) == bytes.count else {
            throw Failure(path: path, reason: String(cString: strerror(errno)))
        }
    }

    private func removeExpired() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasPrefix("token-") || name.hasPrefix("question-") {
            if age(path + "/" + name).map({ $0 >= PageSession.tokenLifetime }) ?? false { unlink(path + "/" + name) }
        }
        let sessions = names.filter { $0.hasPrefix("session-") }.map { (name: $0, age: age(path + "/" + $0) ?? .max) }
            .sorted { $0.age < $1.age }
        for (index, session) in sessions.enumerated()
        where index >= Self.maximumSessions || session.age >= PageSession.lifetime {
            unlink(path + "/" + session.name)
        }
    }

    /// 64 hexadecimal digits.
    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// 256 bits of the kernel (getrandom(2)).
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in (generator.next() as UInt64).digits(radix: 16, width: 16) }.joined()
    }
}
