import Foundation

/// The pages of a database file in any state, overlaid with those of its write-ahead log.
///
/// Reads the file as https://www.sqlite.org/fileformat.html describes it, without SQLite, which stops at the first
/// invalid page. Nothing in the file is trusted: each number is checked before it is used.
final class PageStore {
    let pageSize: Int
    /// Bytes of a page that SQLite uses: all of them, because istep reserves none, as encryption would.
    var usableSize: Int { pageSize }
    /// Pages are numbered from 1.
    let count: Int
    private let file: Int32
    private let size: Int
    /// For pages with a later version in the log: its position in the log.
    private let logged: [Int: Int]
    private let log: Int32

    static let pageSizes = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]

    init(_ path: String) throws(HistoryError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw HistoryError(errno: errno, path: path) }
        self.file = file
        size = Int(lseek(file, 0, SEEK_END))
        let header = Self.bytes(of: file, at: 0, count: 100) ?? []
        let log = open(path + FileSuffix.log, O_RDONLY | O_CLOEXEC)
        self.log = log
        let head = log >= 0 ? Self.bytes(of: log, at: 0, count: 32) ?? [] : []
        let stated = header.count == 100 ? unsigned(header, 16, 2) : 0
        let pageSize = Self.pageSize(of: file, size, stated: stated == 1 ? 65_536 : stated)
        self.pageSize = pageSize
        let commits = Self.commits(log, head, pageSize)
        logged = commits.offsets
        count = max((size + pageSize - 1) / pageSize, commits.pages)
    }

    deinit {
        close(file)
        if log >= 0 { close(log) }
    }

    /// Nil if it cannot be read, or lies beyond the end of a truncated file.
    func page(_ number: Int) -> [UInt8]? {
        guard (1...max(1, count)).contains(number) else { return nil }
        if let offset = logged[number] { return Self.bytes(of: log, at: offset, count: pageSize) }
        return Self.bytes(of: file, at: (number - 1) * pageSize, count: pageSize)
    }

    private static func bytes(of file: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var length = 0
        while length < count {
            let read = bytes.withUnsafeMutableBytes {
                pread(file, $0.baseAddress.map { $0 + length }, count - length, off_t(offset + length))
            }
            if read < 0 && errno == EINTR { continue }
            if read <= 0 { return nil }
            length += read
        }
        return bytes
    }

    /// The size in the header, unless many more pages begin like pages of a tree at another size. istep uses SQLite's
    /// default, 4096.
    private static func pageSize(of file: Int32, _ size: Int, stated: Int) -> Int {
        var best = (size: pageSizes.contains(stated) ? stated : 4096, share: 0.0)
        best.share = share(of: best.size, file, size)
        for candidate in pageSizes {
            let share = share(of: candidate, file, size)
            if share > best.share + 0.25 { best = (candidate, share) }
        }
        return best.size
    }

    /// The share of the first pages after the header page that begin like pages of a tree: kind, cells and start of the
    /// content.
    private static func share(of pageSize: Int, _ file: Int32, _ size: Int) -> Double {
        let pages = min(200, size / pageSize - 1)
        guard pages > 0 else { return 0 }
        var latest = 0
        let fitting = (1...pages).count { index in
            guard let start = bytes(of: file, at: index * pageSize, count: 8), [2, 5, 10, 13].contains(start[0]) else {
                return false
            }
            let content = unsigned(start, 5, 2), cells = unsigned(start, 3, 2)
            latest = max(latest, content)
            return 8 + 2 * cells <= content && content <= pageSize
        }
        // Cells are stored from the end of a page: if no page has them in its second half, pages are smaller.
        return latest > pageSize / 2 ? Double(fitting) / Double(pages) : 0
    }

    /// The pages that complete transactions have written to the log
    /// (https://www.sqlite.org/fileformat.html#the_write_ahead_log).
    private static func commits(_ log: Int32, _ head: [UInt8], _ pageSize: Int) -> (offsets: [Int: Int], pages: Int) {
        guard head.count == 32, unsigned(head, 0, 4) & ~1 == 0x377f_0682, unsigned(head, 8, 4) == pageSize else {
            return ([:], 0)
        }
        let isBigEndian = unsigned(head, 0, 4) & 1 == 1
        var sum = checksum(head[0..<24], (0, 0), isBigEndian)
        guard sum == (UInt32(unsigned(head, 24, 4)), UInt32(unsigned(head, 28, 4))) else { return ([:], 0) }
        var offsets: [Int: Int] = [:], open: [Int: Int] = [:]
        var pages = 0, offset = 32
        while let frame = bytes(of: log, at: offset, count: 24),
            let page = bytes(of: log, at: offset + 24, count: pageSize)
        {
            // A frame from before the log was restarted has another salt.
            guard frame[8..<16] == head[16..<24] else { break }
            sum = checksum(frame[0..<8], sum, isBigEndian)
            sum = checksum(page[...], sum, isBigEndian)
            guard sum == (UInt32(unsigned(frame, 16, 4)), UInt32(unsigned(frame, 20, 4))) else { break }
            open[unsigned(frame, 0, 4)] = offset + 24
            let size = unsigned(frame, 4, 4)
            if size > 0 {
                offsets.merge(open) { $1 }
                open = [:]
                pages = size
            }
            offset += 24 + pageSize
        }
        return (offsets, pages)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>, _ start: (UInt32, UInt32), _ isBigEndian: Bool) -> (
        UInt32, UInt32
    ) {
        var (a, b) = start
        var index = bytes.startIndex
        func word(_ index: Int) -> UInt32 {
            let parts = bytes[index..<index + 4]
            return isBigEndian
                ? parts.reduce(0) { $0 << 8 | UInt32($1) } : parts.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        while index + 8 <= bytes.endIndex {
            a = a &+ word(index) &+ b
            b = b &+ word(index + 4) &+ a
            index += 8
        }
        return (a, b)
    }
}

/// An unsigned number, most significant byte first. The caller has checked that it is there.
func unsigned(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
    bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
}
