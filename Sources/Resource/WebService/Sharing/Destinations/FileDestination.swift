internal import Foundation
internal import TextSafety
internal import Settings
internal import StepDomain

/// A file with one day per line: for spreadsheets, scripts, and folders that another program synchronises.
///
/// A day that is sent again replaces its line. The new file is written beside the old one and then renamed (rename(2)), so that a reader
/// never sees half of it, even if the process is killed.
struct FileDestination: ConfiguredDestination {
    let context: DestinationContext
    let path: String
    let format: DayLine.Format

    var place: String { path }
    var traits: ShareTraits {
        var traits = ShareTraits.replacing
        traits.batch = 2048
        return traits
    }

    func preview(_ parcels: [ShareParcel]) -> String {
        parcels.map { DayLine($0.day, format).text }.joined(separator: "\n")
    }

    func deliver(_ parcels: [ShareParcel]) async throws(ShareFailure) -> [ShareReceipt] {
        let file = LineFile(path: path)
        try file.replace { lines in
            var lines = lines
            if let header = format.header, lines.first != header { lines.insert(header, at: 0) }
            let places = Dictionary(
                lines.enumerated().compactMap { index, line in DayLine.Key(line, format).map { ($0, index) } }, uniquingKeysWith: { $1 })
            for parcel in parcels {
                let line = DayLine(parcel.day, format)
                if let index = places[line.key] { lines[index] = line.text } else { lines.append(line.text) }
            }
            return lines
        }
        return parcels.map { _ in ShareReceipt() }
    }

    func check() async throws(ShareFailure) -> String {
        let file = LineFile(path: path)
        let days = try file.read().lines.count { DayLine.Key($0, format) != nil }
        try file.checkFolder()
        return "\(days) \(days == 1 ? "day" : "days") in it"
    }

    func problems() -> [String] {
        do throws(ShareFailure) {
            try LineFile(path: path).checkFolder()
            return []
        } catch {
            return [error.reason]
        }
    }
}

extension DestinationKind {
    static let file = DestinationKind(
        "file", title: "a file with a line for each day: JSON or CSV",
        example: """
            [share.diary]
            kind = "file"
            path = "~/steps.csv"
            # format = "json"     # or "csv"; default: according to the suffix of the path
            """
    ) { reader, context in
        let expected = "the path of a file that ends with .csv, .json, .jsonl or .ndjson, or of any other with a `format`"
        reader.require("path", expected)
        let path = reader.path("path", expected)
        let format = reader.choice("format", of: DayLine.Format.self)
        guard let path else { return nil }
        guard let format = format ?? DayLine.Format(path: path) else {
            reader.refuse("path", expected: expected)
            return nil
        }
        return FileDestination(context: context, path: path, format: format)
    }
}

/// A day as a line of a file.
struct DayLine {
    enum Format: String, CaseIterable {
        /// One object per line (JSON Lines), with the names of `istep show --json`.
        case json
        /// Comma-separated values with a header (RFC 4180, but for its line ends: here they are LF).
        case csv

        /// Chooses the format by the extension of a file's name.
        init?(path: String) {
            switch (path as NSString).pathExtension.lowercased() {
            case "csv": self = .csv
            case "json", "jsonl", "ndjson": self = .json
            default: return nil
            }
        }

        var header: String? {
            switch self {
            case .json: nil
            case .csv:
                "day,user,steps,distance_metres,energy_kilocalories,goal,percentage,completeness,running,corrected"
            }
        }
    }

    /// Identifies a line: there is one line for each key.
    struct Key: Hashable {
        var user: String
        var day: String

        init(user: String, day: String) {
            self.user = user
            self.day = day
        }

        /// The key of a line in a file; nil for a line that is not of a day, which stays unchanged.
        init?(_ line: String, _ format: Format) {
            switch format {
            case .json:
                guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    let user = object["user"] as? String, let day = object["day"] as? String
                else { return nil }
                self.init(user: user, day: day)
            case .csv:
                let fields = CSV.fields(line)
                guard fields.count > 2, Day(fields[0]) != nil else { return nil }
                self.init(user: fields[1], day: fields[0])
            }
        }
    }

    let key: Key
    let text: String

    init(_ day: SharedDay, _ format: Format) {
        // A day is one line: CSV has no other way to write a line end that every reader understands.
        let user = format == .csv ? String(day.user.name.map { $0.isNewline ? " " : $0 }) : day.user.name
        key = Key(user: user, day: "\(day.day)")
        switch format {
        case .json: text = json(SharedDayDocument(day: day))
        case .csv:
            let fields: [String?] = [
                "\(day.day)", user, "\(day.steps)", day.metres.map { "\($0)" }, day.kilocalories.map { "\($0)" },
                day.summary.goal.map { "\($0)" }, day.percentage.map { "\($0)" }, day.summary.completeness.rawValue,
                "\(day.summary.isInProgress)", "\(day.summary.isCorrected)",
            ]
            text = fields.map { CSV.field($0 ?? "") }.joined(separator: ",")
        }
    }
}

/// Comma-separated values, RFC 4180.
enum CSV {
    static func field(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { ",\"\n\r".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// The fields of one line; a field without a closing quote ends with the line.
    static func fields(_ line: String) -> [String] {
        var fields: [String] = []
        var field = ""
        var isQuoted = false
        var rest = line.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"" where isQuoted && rest.first == "\"":
                field.unicodeScalars.append("\"")
                rest.removeFirst()
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                fields.append(field)
                field = ""
            default: field.unicodeScalars.append(scalar)
            }
        }
        return fields + [field]
    }
}

/// A text file of lines that is read and replaced as a whole.
struct LineFile {
    let path: String

    /// Bytes. Ten years of a household's days are a hundredth of it.
    static let limit = 64 << 20

    /// The content of a file, line by line.
    struct Content {
        var lines: [String] = []
        /// The line end of the file: a file saved by Windows keeps its own.
        var lineEnd = "\n"
        var hasByteOrderMark = false

        var text: String { (hasByteOrderMark ? "\u{feff}" : "") + lines.map { $0 + lineEnd }.joined() }

        init() {}

        init(_ text: String) {
            var scalars = text.unicodeScalars[...]
            if scalars.first == "\u{feff}" {
                hasByteOrderMark = true
                scalars.removeFirst()
            }
            // By scalars: "\r\n" is one character.
            var parts = scalars.split(separator: "\n", omittingEmptySubsequences: false)
            if parts.last?.isEmpty == true { parts.removeLast() }
            if parts.first?.last == "\r" { lineEnd = "\r\n" }
            lines = parts.map { String($0.last == "\r" ? $0.dropLast() : $0) }
        }
    }

    /// The content of the file; empty if there is no file.
    func read() throws(ShareFailure) -> Content {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { return Content() }
            throw failure("cannot be read")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ShareFailure(.misconfigured, "\(quoted(path)) is not a regular file", advice: "Set `path` to a file of its own.")
        }
        guard status.st_size <= Self.limit else {
            throw ShareFailure(
                .misconfigured, "\(quoted(path)) has more than \(Self.limit >> 20) MiB", advice: "Set `path` to a file of its own.")
        }
        guard let data = try? handle.readToEnd() ?? Data() else { throw failure("cannot be read") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ShareFailure(.misconfigured, "\(quoted(path)) is not UTF-8 text", advice: "Set `path` to a file of its own.")
        }
        return Content(text)
    }

    /// Replaces the lines of the file, atomically and durably.
    func replace(_ body: ([String]) -> [String]) throws(ShareFailure) {
        // A symbolic link is kept: its target is replaced.
        let target =
            realpath(path, nil).map { pointer in
                defer { free(pointer) }
                return String(cString: pointer)
            } ?? path
        let file = LineFile(path: target)
        try file.makeFolder()
        // The lock is held across reading and writing, so that two programs never undo each other's changes.
        let folder = open(directoryName(target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("cannot be written") }
        defer { close(folder) }
        while flock(folder, LOCK_EX) != 0 { guard errno == EINTR else { throw failure("cannot be locked") } }
        var content = try file.read()
        content.lines = body(content.lines)
        try file.write(content.text, syncing: folder)
    }

    /// Checks that the file's folder exists, or can be made, and is writable.
    func checkFolder() throws(ShareFailure) {
        var folder = directoryName(path)
        while folder.count > 1, access(folder, F_OK) != 0, errno == ENOENT { folder = directoryName(folder) }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, access(folder, W_OK) == 0 else {
            throw ShareFailure(
                .misconfigured, "\(quoted(folder)) is not a folder that you can write to", advice: "Set `path` to a file in a writable folder.")
        }
    }

    private func makeFolder() throws(ShareFailure) {
        let folder = directoryName(path)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ShareFailure(.misconfigured, "the folder \(quoted(folder)) cannot be created", advice: "Create it, or set `path` to another.")
        }
    }

    private func write(_ text: String, syncing folder: Int32) throws(ShareFailure) {
        var old = stat()
        let mode = stat(path, &old) == 0 ? old.st_mode & 0o777 : 0o600
        let draft = path + ".istep-\(getpid())"
        unlink(draft)  // left by a killed process with the same process id
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw failure("cannot be written") }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes = bytes.dropFirst(count)
        }
        let isWritten = bytes.isEmpty && fchmod(descriptor, mode) == 0 && fsync(descriptor) == 0
        let failure = failure("cannot be written")
        close(descriptor)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            throw failure
        }
        fsync(folder)
    }

    /// Classifies the failure by `errno`. A full disk is temporary; a missing permission is not.
    private func failure(_ what: String) -> ShareFailure {
        let code = errno
        let isPassing = [ENOSPC, EDQUOT, EIO, EMFILE, ENFILE].contains(code)
        return ShareFailure(
            isPassing ? .unreachable : .misconfigured, "\(quoted(path)) \(what): \(String(cString: strerror(code)))",
            advice: isPassing ? nil : "Set `path` to a file that you can write to.")
    }
}
