internal import Foundation

/// A relative path refers to the working directory.
///
/// - Returns: nil if the working directory was deleted. It has no path then, and the file would be in `/`.
public func absolutePath(_ path: String) -> String? {
    if path.hasPrefix("/") { return path }
    let directory = FileManager.default.currentDirectoryPath
    return directory.isEmpty ? nil : directory + "/" + path
}

/// The directory of a path: `/a` for `/a/b` and `/a/b/`, `/` for `/a`, nothing for `a`.
///
/// The path is processed as bytes, as in the kernel. Foundation's `deletingLastPathComponent` crashes for a relative
/// name of one letter (Swift 6.3 on Linux).
public func directoryName(_ path: String) -> String {
    let bytes = trimmed(path)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    var end = slash
    while end > bytes.startIndex, bytes[bytes.index(before: end)] == UInt8(ascii: "/") {
        end = bytes.index(before: end)
    }
    return end == bytes.startIndex ? "/" : String(decoding: bytes[..<end], as: UTF8.self)
}

/// The last part of a path: `b` for `/a/b` and `/a/b/`, `/` for `/`.
public func baseName(_ path: String) -> String {
    let bytes = trimmed(path)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")), bytes.count > 1 else {
        return String(decoding: bytes, as: UTF8.self)
    }
    return String(decoding: bytes[bytes.index(after: slash)...], as: UTF8.self)
}

/// The path without trailing slashes, except for the root.
private func trimmed(_ path: String) -> ArraySlice<UInt8> {
    var bytes = Array(path.utf8)[...]
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return bytes
}
