import Foundation
import GRDB

/// A page of a b-tree: of a table with row numbers, or of an index. A table without row numbers is also stored as an
/// index.
struct TreePage {
    enum Kind: UInt8 {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13

        var isLeaf: Bool { self == .indexLeaf || self == .tableLeaf }
        var isIndex: Bool { self == .indexLeaf || self == .indexInterior }
    }

    /// What a cell holds.
    struct Cell {
        /// On interior pages: the page with the entries before this cell.
        var child: Int?
        /// In tables with row numbers.
        var number: Int64?
        /// Nil on interior pages of tables, and if the values cannot be decoded.
        var values: [DatabaseValue]?
        /// Without `values`: as many values as can be decoded, if the record's lengths disagree or a text is not valid.
        var doubtful: [DatabaseValue]?
        /// Its bytes on this page.
        fileprivate var size = 0
    }

    let kind: Kind
    /// On interior pages: the page with the entries after all cells.
    let last: Int?
    /// In order; cells that cannot be read have neither child nor values.
    let cells: [Cell]
    /// Whether the cells, and what is free between them, fill the content area: no cell is missing.
    let isFilled: Bool

    /// Nil if this is not a page of a tree.
    ///
    /// - Parameter repairingText: whether text that is not UTF-8 is read with replacement characters; otherwise its row
    ///   cannot be read.
    init?(_ number: Int, in store: PageStore, repairingText: Bool = false) {
        guard let page = store.page(number) else { return nil }
        // The file's header is on its first page.
        let start = number == 1 ? 100 : 0
        guard let kind = Kind(rawValue: page[start]) else { return nil }
        let count = unsigned(page, start + 3, 2)
        let pointers = start + (kind.isLeaf ? 8 : 12)
        guard pointers + 2 * count <= store.usableSize else { return nil }
        self.kind = kind
        last = kind.isLeaf ? nil : unsigned(page, start + 8, 4)
        let cells = (0..<count).map { index in
            Cell(
                page, at: unsigned(page, pointers + 2 * index, 2), from: pointers + 2 * count, kind, store,
                repairingText) ?? Cell()
        }
        self.cells = cells
        let content = unsigned(page, start + 5, 2)
        let filled = Self.freeBytes(page, from: start).map { $0 + cells.reduce(0) { $0 + $1.size } }
        isFilled = filled == store.usableSize - (content == 0 ? 65_536 : content)
    }

    /// The bytes of the free blocks and fragments of a page ("B-tree Pages" of the file format); nil if the chain of
    /// free blocks is not in order.
    private static func freeBytes(_ page: [UInt8], from start: Int) -> Int? {
        var bytes = Int(page[start + 7]), block = unsigned(page, start + 1, 2), end = 0
        while block != 0 {
            guard block >= end, block + 4 <= page.count else { return nil }
            let size = unsigned(page, block + 2, 2)
            bytes += size
            end = block + max(4, size)
            block = unsigned(page, block, 2)
        }
        return bytes
    }
}

extension TreePage.Cell {
    /// - Parameter first: the lowest position of the page's cells.
    fileprivate init?(
        _ page: [UInt8], at offset: Int, from first: Int, _ kind: TreePage.Kind, _ store: PageStore,
        _ repairingText: Bool
    ) {
        guard offset >= first, offset + 4 <= store.usableSize else { return nil }
        var reader = RecordReader(page[offset..<store.usableSize])
        if !kind.isLeaf { child = reader.bytes(4).map { $0.reduce(0) { $0 << 8 | Int($1) } } }
        switch kind {
        case .tableInterior:
            number = reader.varint()
        case .tableLeaf:
            guard let size = reader.varint(), let row = reader.varint() else { return nil }
            number = row
            read(size, &reader, kind, store, repairingText)
        case .indexLeaf, .indexInterior:
            guard let size = reader.varint() else { return nil }
            read(size, &reader, kind, store, repairingText)
        }
        // SQLite makes no cell smaller than a free block.
        size = max(4, reader.consumed)
    }

    private mutating func read(
        _ size: Int64, _ reader: inout RecordReader, _ kind: TreePage.Kind, _ store: PageStore, _ repairingText: Bool
    ) {
        let rest = reader.rest
        let record = reader.payload(size, of: kind, store)
        values = record.flatMap { RecordReader.values($0, repairingText: repairingText) }
        // If the length of the record is damaged, its own header may still tell where its values are.
        if values == nil { doubtful = record.flatMap(RecordReader.doubtfulValues) ?? RecordReader.doubtfulValues(rest) }
    }
}

/// Reads the parts of a cell from its start.
struct RecordReader {
    private let bytes: ArraySlice<UInt8>
    private var index: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    /// More than any record of istep: texts of servers have 1000 characters, frames 1024 bytes, notices some hundred.
    private static let maximumBytes = 1_000_000

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.endIndex - index else { return nil }
        defer { index += count }
        return bytes[index..<index + count]
    }

    /// A number of 1 to 9 bytes, 7 bits in each but the ninth.
    mutating func varint() -> Int64? {
        var value: UInt64 = 0
        for count in 1...9 {
            guard index < bytes.endIndex else { return nil }
            let byte = bytes[index]
            index += 1
            if count == 9 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7f)
            if byte & 0x80 == 0 { return Int64(bitPattern: value) }
        }
        return nil
    }

    /// A record. The part that does not fit on the page is on a chain of other pages.
    mutating func payload(_ size: Int64, of kind: TreePage.Kind, _ store: PageStore) -> [UInt8]? {
        guard (1...Int64(Int32.max)).contains(size) else { return nil }
        // "Cell payload overflow pages" of the file format.
        let usable = store.usableSize, total = Int(size)
        let most = kind.isIndex ? (usable - 12) * 64 / 255 - 23 : usable - 35
        if total <= most { return bytes(total).map(Array.init) }
        let least = (usable - 12) * 32 / 255 - 23
        let fitting = least + (total - least) % (usable - 4)
        guard let local = bytes(fitting <= most ? fitting : least), let link = bytes(4) else { return nil }
        guard total <= Self.maximumBytes else { return nil }
        var record = Array(local)
        var next = link.reduce(0) { $0 << 8 | Int($1) }
        // Each page adds to the record, so that a cyclic chain ends too.
        while record.count < total {
            guard let page = store.page(next) else { return nil }
            record += page[4..<min(usable, 4 + total - record.count)]
            next = unsigned(page, 0, 4)
        }
        return record
    }

    /// The values of a record; nil if its header and its length do not agree.
    static func values(_ record: [UInt8], repairingText: Bool = false) -> [DatabaseValue]? {
        var header = RecordReader(record[...])
        guard let size = header.varint(), size >= 1, size <= Int64(record.count) else { return nil }
        header = RecordReader(record[..<Int(size)])
        _ = header.varint()
        var body = RecordReader(record[Int(size)...])
        var values: [DatabaseValue] = []
        while let type = header.isAtEnd ? nil : header.varint() {
            guard let value = body.value(type, repairingText) else { return nil }
            values.append(value)
        }
        return header.isAtEnd && body.isAtEnd ? values : nil
    }

    /// The values of a record whose header and length do not agree: those that are cut off are NULL, and a text has
    /// replacement characters where it is not valid. Nil if there is no header.
    static func doubtfulValues(_ record: [UInt8]) -> [DatabaseValue]? {
        var header = RecordReader(record[...])
        guard let size = header.varint(), size >= 2, size <= Int64(record.count), size <= 64 else { return nil }
        header = RecordReader(record[..<Int(size)])
        _ = header.varint()
        var body = RecordReader(record[Int(size)...])
        var values: [DatabaseValue] = []
        while let type = header.isAtEnd ? nil : header.varint() { values.append(body.value(type, true) ?? .null) }
        return values
    }

    /// The number of bytes that were read.
    fileprivate var consumed: Int { index - bytes.startIndex }

    /// What was not read yet.
    fileprivate var rest: [UInt8] { Array(bytes[index...]) }

    private var isAtEnd: Bool { index == bytes.endIndex }

    /// "Serial type codes of the record format".
    private mutating func value(_ type: Int64, _ repairingText: Bool) -> DatabaseValue? {
        switch type {
        case 0: return .null
        case 1...6:
            guard let parts = bytes([1, 2, 3, 4, 6, 8][Int(type) - 1]) else { return nil }
            let sign: Int64 = (parts.first ?? 0) & 0x80 == 0 ? 0 : -1
            return parts.reduce(sign) { $0 << 8 | Int64($1) }.databaseValue
        case 7:
            guard let parts = bytes(8) else { return nil }
            let value = Double(bitPattern: parts.reduce(0) { $0 << 8 | UInt64($1) })
            return value.isNaN ? nil : value.databaseValue
        case 8: return 0.databaseValue
        case 9: return 1.databaseValue
        case 12...:
            guard type < Int64(Self.maximumBytes) * 2, let parts = bytes(Int(type - 12) / 2) else { return nil }
            if type % 2 == 0 { return Data(parts).databaseValue }
            if repairingText { return String(decoding: parts.map { $0 == 0 ? 0xff : $0 }, as: UTF8.self).databaseValue }
            // istep never writes a text that is not UTF-8 or that contains a NUL.
            guard !parts.contains(0) else { return nil }
            return String(validating: parts, as: UTF8.self)?.databaseValue
        default: return nil
        }
    }
}

/// Traverses b-trees in the order of their keys, and skips the pages that cannot be read.
struct TreeWalk {
    enum Event {
        case row(Int64?, [DatabaseValue])
        /// A row whose values may be wrong. It comes after a hole.
        case doubtful(Int64?, [DatabaseValue])
        /// Rows are missing here: a page, or a cell of a page, cannot be read.
        case hole
    }

    private let store: PageStore
    /// Whether it is certain which pages are free. If so, any other page that no tree leads to was lost from a tree.
    private(set) var isFreeListSound = false
    /// Pages that belong to a tree.
    private var visited: Set<Int> = []

    init(_ store: PageStore) { self.store = store }

    /// No tree is deeper: each page of 512 bytes has at least two children.
    private static let deepest = 40

    /// - Parameter repairingText: as for `TreePage`.
    mutating func walk(_ root: Int, isIndex: Bool, repairingText: Bool = false, _ body: (Event) throws -> Void) rethrows
    {
        try walk(root, isIndex: isIndex, repairingText, depth: 0, body)
    }

    private mutating func walk(
        _ number: Int, isIndex: Bool, _ repairingText: Bool, depth: Int, _ body: (Event) throws -> Void
    ) rethrows {
        guard number > 0, number <= store.count, depth < Self.deepest, !visited.contains(number),
            let page = TreePage(number, in: store, repairingText: repairingText), page.kind.isIndex == isIndex
        else { return try body(.hole) }
        visited.insert(number)
        // The cells of a page that is not filled are fewer than they were.
        var isHoleUnreported = !page.isFilled
        for cell in page.cells {
            if !page.kind.isLeaf {
                guard let child = cell.child else {
                    try body(.hole)
                    isHoleUnreported = false
                    continue
                }
                try walk(child, isIndex: isIndex, repairingText, depth: depth + 1, body)
                if !isIndex { continue }
            }
            if let values = cell.values {
                try body(.row(cell.number, values))
            } else {
                try body(.hole)
                isHoleUnreported = false
                if let values = cell.doubtful { try body(.doubtful(cell.number, values)) }
            }
        }
        // Where the number of cells is too low, it is the last that are missing.
        if isHoleUnreported { try body(.hole) }
        if let last = page.last { try walk(last, isIndex: isIndex, repairingText, depth: depth + 1, body) }
    }

    /// Passes over a tree of another program's rows, so that its pages are not those of a lost tree.
    ///
    /// - Returns: false if not all of its pages can be read.
    mutating func pass(over root: Int, besides free: Set<Int>) -> Bool {
        guard let kind = TreePage(root, in: store)?.kind else { return false }
        return pass(over: root, isIndex: kind.isIndex, free, depth: 0)
    }

    private mutating func pass(over number: Int, isIndex: Bool, _ free: Set<Int>, depth: Int) -> Bool {
        guard number > 0, number <= store.count, depth < Self.deepest, !visited.contains(number),
            !free.contains(number), let page = TreePage(number, in: store), page.kind.isIndex == isIndex
        else { return false }
        visited.insert(number)
        var isWhole = page.isFilled
        if page.kind.isLeaf { return isWhole }
        for child in page.cells.map(\.child) + [page.last] {
            let isPassed = child.map { pass(over: $0, isIndex: isIndex, free, depth: depth + 1) } ?? false
            isWhole = isWhole && isPassed
        }
        return isWhole
    }

    /// The rows of pages that no tree leads to, because a page above them is damaged. Rows on free pages were deleted
    /// and are not returned.
    func strays(besides free: Set<Int>, _ body: (Event) throws -> Void) rethrows {
        for number in stride(from: 2, through: store.count, by: 1)
        where !visited.contains(number) && !free.contains(number) {
            guard let page = TreePage(number, in: store), page.kind != .tableInterior else { continue }
            for cell in page.cells {
                if let values = cell.values {
                    try body(.row(cell.number, values))
                } else if let values = cell.doubtful {
                    try body(.doubtful(cell.number, values))
                }
            }
        }
    }

    /// "The Freelist": trunks, each with the numbers of free pages. Empty if it is inconsistent, or if one of its pages
    /// belongs to a tree.
    mutating func freePages() -> Set<Int> {
        guard let first = store.page(1) else { return [] }
        var free: Set<Int> = []
        var trunk = unsigned(first, 32, 4)
        while trunk != 0 {
            guard trunk <= store.count, free.insert(trunk).inserted, let page = store.page(trunk) else { return [] }
            let count = unsigned(page, 4, 4)
            guard count <= store.usableSize / 4 - 2 else { return [] }
            for index in 0..<count { free.insert(unsigned(page, 8 + 4 * index, 4)) }
            trunk = unsigned(page, 0, 4)
        }
        isFreeListSound = free.count == unsigned(first, 36, 4) && free.isDisjoint(with: visited)
        return isFreeListSound ? free : []
    }
}
