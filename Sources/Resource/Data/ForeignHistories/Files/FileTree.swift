import Foundation
import StepDomain

/// The files that the user names: one, all of a folder, or those in a zip archive.
final class FileTree {
    let path: String
    private(set) var files: [ForeignFile] = []

    private static let maximumFiles = 100_000

    /// - Throws: why the beginning of one of them cannot be read, so that what it is cannot be told.
    func checkBeginnings() throws(ImportError) {
        for file in files { if let fault = file.fault { throw fault } }
    }

    /// - Parameter inUse: paths of files that are not opened, whatever their names in the folder are.
    init(_ path: String, except inUse: [String] = []) throws(ImportError) {
        self.path = path
        var status = stat()
        guard stat(path, &status) == 0 else { throw .missing(path: path) }
        let inUse = Inode.of(inUse)
        if status.st_mode & S_IFMT == S_IFDIR {
            try listFolder(path, except: inUse)
        } else if inUse.contains(Inode(status)) {
            throw .inUse(path: path)
        } else {
            let file = try FileStream(path)
            let head = try file.bytes(at: 0, min(file.size, 4))
            if head == [0x50, 0x4b, 0x03, 0x04] || head == [0x50, 0x4b, 0x05, 0x06] {
                let archive = try ZipArchive(file)
                files = archive.members.map { member in
                    ForeignFile(name: member.name, size: member.size, location: .archive(path, archive, member))
                }
            } else {
                files = [
                    ForeignFile(name: (path as NSString).lastPathComponent, size: file.size, location: .disk(path))
                ]
            }
        }
        files.sort { $0.name < $1.name }
    }

    private func listFolder(_ path: String, except inUse: Set<Inode>) throws(ImportError) {
        // The enumerator does not follow a link that is the folder itself.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        var fault: URL?
        guard
            let found = FileManager.default.enumerator(
                at: URL(fileURLWithPath: path), includingPropertiesForKeys: [],
                options: [.skipsHiddenFiles],
                errorHandler: { url, _ in
                    fault = url
                    return false
                })
        else { throw .unreadable(path: path, reason: "the folder cannot be listed") }
        let prefix = (path.hasSuffix("/") ? path : path + "/").count
        var names: [(path: String, isLink: Bool)] = []
        // The enumerator does not follow a link to a folder: it can lead in circles.
        for case let url as URL in found {
            var status = stat()
            guard lstat(url.path, &status) == 0, [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else { continue }
            if names.count == Self.maximumFiles { throw .tooMuch("more than \(Self.maximumFiles) files") }
            names.append((url.path, status.st_mode & S_IFMT == S_IFLNK))
        }
        // Of several names of a file, its own counts: some formats name their source by it.
        names.sort { ($0.isLink ? 1 : 0, $0.path) < ($1.isLink ? 1 : 0, $1.path) }
        var passed = inUse
        for (path, _) in names {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                passed.insert(Inode(status)).inserted
            else { continue }
            files.append(
                ForeignFile(name: String(path.dropFirst(prefix)), size: Int(status.st_size), location: .disk(path)))
        }
        if let fault { throw .unreadable(path: fault.path, reason: "the folder cannot be listed") }
    }
}

/// What a file is, by whatever name.
struct Inode: Hashable {
    private let device: dev_t
    private let number: ino_t

    init(_ status: stat) { (device, number) = (status.st_dev, status.st_ino) }

    /// Those of the files that exist.
    static func of(_ paths: [String]) -> Set<Inode> {
        var status = stat()
        return Set(paths.compactMap { stat($0, &status) == 0 ? Inode(status) : nil })
    }
}

/// A folder that only this user can read, removed with this object.
final class TemporaryFolder {
    let path: String

    init() throws(ImportError) {
        var template = Array((NSTemporaryDirectory() + "istep-import-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .unreadable(path: NSTemporaryDirectory(), reason: String(cString: strerror(errno)))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
