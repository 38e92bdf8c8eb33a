internal import Glibc

/// Whose program listens on a port of this machine.
public enum LoopbackOwner {
    /// - Returns: the user's number; nil where nothing listens at 127.0.0.1 on this port.
    public static func user(ofPort port: UInt16) -> UInt32? { user(ofPort: port, in: contents(of: "/proc/net/tcp")) }

    /// - Parameter table: as in `/proc/net/tcp` (proc(5)): addresses in hexadecimal, the state 0A for listening, the user in the eighth column.
    static func user(ofPort port: UInt16, in table: String) -> UInt32? {
        let digits = String(port, radix: 16, uppercase: true)
        // 127.0.0.1 as the kernel prints it on a little-endian machine.
        let address = "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
        for line in table.split(separator: "\n").dropFirst() {
            let words = line.split(separator: " ")
            if words.count > 7, words[1] == address, words[3] == "0A" { return UInt32(words[7]) }
        }
        return nil
    }

    /// All of a file of /proc; empty if it cannot be read. Its size is 0 and a read returns at most a page: Foundation stops after the first.
    private static func contents(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(file, &page, page.count)
            guard count > 0 else { break }
            bytes += page[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
