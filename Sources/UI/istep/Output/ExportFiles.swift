import Foundation
import StepDomain
import StepViews
import Support

/// Lines to standard output, in large pieces: an export has millions of them.
final class StandardExport: ExportOutput {
    private var text = ""

    func line(_ text: String) throws {
        self.text += text + "\n"
        if self.text.utf8.count >= 1 << 16 { try flush() }
    }

    func finish() throws { try flush() }

    private func flush() throws {
        let code = Output.standard.put(text)
        text = ""
        // A reader that stops reading is not a failure.
        guard code == 0 || code == EPIPE else { throw OutputFailure(code: code) }
    }
}

/// A file of an export.
final class ExportFile: ExportOutput {
    private let file: PrivateFile
    private var bytes: [UInt8] = []

    static let advice = "Name another place: `istep export FILE`"

    /// - Throws: `CommandFailure` for anything that exists, also an empty file: it is somebody's.
    static func checkIsFree(_ path: String) throws {
        if access(path, F_OK) == 0 { throw CommandFailure(.usage, "'\(path)' exists.", advice: advice) }
    }

    /// - Throws: `CommandFailure`; an earlier file is never replaced.
    init(_ path: String) throws {
        try Self.checkIsFree(path)
        file = try PrivateFile(path, advice: Self.advice, replaces: false)
    }

    func line(_ text: String) throws {
        bytes += text.utf8
        bytes.append(0x0a)
        if bytes.count >= 1 << 16 { try flush() }
    }

    private func flush() throws {
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    func finish() throws {
        try flush()
        try file.finish()
    }
}

/// A folder of an export with a file for each table. It has its name once it is complete.
final class ExportFolder {
    private let path: String
    private let temporary: String
    private var file: ExportFile?
    private var isFinished = false

    /// - Throws: `CommandFailure`; nothing that exists is replaced.
    init(_ path: String) throws {
        let target = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        try ExportFile.checkIsFree(target)
        self.path = target
        temporary = temporaryPath(for: target)
        guard mkdir(temporary, 0o700) == 0 else { throw PrivateFile.failure(errno, target, ExportFile.advice) }
    }

    func open(_ table: ExportTable) throws -> ExportFile {
        try file?.finish()
        let next = try ExportFile("\(temporary)/\(table.name).csv")
        file = next
        return next
    }

    func finish() throws {
        try file?.finish()
        file = nil
        guard rename(temporary, path) == 0 else { throw PrivateFile.failure(errno, path, ExportFile.advice) }
        isFinished = true
    }

    deinit {
        file = nil
        if !isFinished { try? FileManager.default.removeItem(atPath: temporary) }
    }
}
