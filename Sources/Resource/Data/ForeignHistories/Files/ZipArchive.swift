import StepDomain

/// The directory of a zip archive (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). Nothing is extracted
/// by the names in it.
struct ZipArchive {
    struct Member {
        var name: String
        var size: Int
        var compressed: Int
        fileprivate var method: Int
        /// CRC-32 of its bytes.
        fileprivate var checksum: UInt32
        fileprivate var isEncrypted: Bool
        fileprivate var header: Int
    }

    private let file: FileStream
    let members: [Member]

    /// An export of a phone has a few thousand.
    private static let maximumMembers = 100_000
    private static let maximumDirectoryBytes = 32 << 20
    /// Databases and XML become 5 to 50 times smaller, and deflate cannot compress more than a thousand times. A large
    /// member that claims more is made to do harm.
    private static let maximumRatio = 200
    /// Bytes of a member that is not looked at in this way.
    private static let harmless = 64 << 20

    init(_ file: FileStream) throws(ImportError) {
        self.file = file
        let (start, size, count) = try Self.directory(of: file)
        guard count <= Self.maximumMembers, size <= Self.maximumDirectoryBytes else {
            throw Self.damaged(file, "the archive has too many files")
        }
        let bytes = try file.bytes(at: start, size)
        var members: [Member] = []
        var position = 0
        while members.count < count {
            guard position + 46 <= bytes.count, bytes.number(position, 4) == 0x0201_4b50 else {
                throw Self.damaged(file)
            }
            let nameSize = bytes.number(position + 28, 2), extraSize = bytes.number(position + 30, 2)
            let end = position + 46 + nameSize + extraSize + bytes.number(position + 32, 2)
            guard end <= bytes.count else { throw Self.damaged(file) }
            var member = Member(
                name: String(decoding: bytes[(position + 46)..<(position + 46 + nameSize)], as: UTF8.self),
                size: bytes.number(position + 24, 4), compressed: bytes.number(position + 20, 4),
                method: bytes.number(position + 10, 2), checksum: UInt32(bytes.number(position + 16, 4)),
                isEncrypted: bytes.number(position + 8, 2) & 1 != 0, header: bytes.number(position + 42, 4))
            try Self.readLongNumbers(
                Array(bytes[(position + 46 + nameSize)..<(position + 46 + nameSize + extraSize)]), &member,
                Self.damaged(file))
            if member.name.split(separator: "/").contains("..") || member.name.hasPrefix("/") {
                throw Self.damaged(file, "a file in it has the path \(member.name.prefix(100))")
            }
            guard member.compressed <= file.size,
                member.size <= max(Self.harmless, member.compressed * Self.maximumRatio)
            else {
                throw Self.damaged(
                    file,
                    "\(member.name.prefix(100)) in it claims to be \(member.size) bytes, packed into \(member.compressed)"
                )
            }
            members.append(member)
            position = end
        }
        // Members over each other would be read many times.
        guard members.reduce(0, { $0 + $1.compressed }) <= file.size else {
            throw Self.damaged(file, "its files are larger than it is")
        }
        self.members = members.filter { !$0.name.hasSuffix("/") }
    }

    private static func damaged(_ file: FileStream, _ reason: String = "its directory is damaged") -> ImportError {
        .malformed(path: file.path, reason: reason)
    }

    /// Where the directory is, its size, and the number of its members.
    private static func directory(of file: FileStream) throws(ImportError) -> (Int, Int, Int) {
        // The end record is 22 bytes and a comment of at most 65,535.
        let tailSize = min(file.size, 22 + 65_535)
        let tail = try file.bytes(at: file.size - tailSize, tailSize)
        guard
            let end = stride(from: tail.count - 22, through: 0, by: -1).first(where: {
                tail.number($0, 4) == 0x0605_4b50
            })
        else {
            throw .malformed(path: file.path, reason: "the archive is truncated")
        }
        let short = (tail.number(end + 16, 4), tail.number(end + 12, 4), tail.number(end + 10, 2))
        guard short.0 == 0xffff_ffff || short.2 == 0xffff, end >= 20, tail.number(end - 20, 4) == 0x0706_4b50 else {
            return short
        }
        let long = try file.bytes(at: tail.number(end - 12, 8), 56)
        guard long.number(0, 4) == 0x0606_4b50 else { throw damaged(file) }
        return (long.number(48, 8), long.number(40, 8), long.number(32, 8))
    }

    /// Numbers of 64 bits, where those of 32 are not enough.
    private static func readLongNumbers(_ extra: [UInt8], _ member: inout Member, _ damaged: ImportError)
        throws(ImportError)
    {
        var position = 0
        while position + 4 <= extra.count {
            let (kind, size) = (extra.number(position, 2), extra.number(position + 2, 2))
            var field = position + 4
            guard field + size <= extra.count else { return }
            position = field + size
            if kind != 1 { continue }
            func next() throws(ImportError) -> Int {
                guard field + 8 <= position else { throw damaged }
                defer { field += 8 }
                return extra.number(field, 8)
            }
            if member.size == 0xffff_ffff { member.size = try next() }
            if member.compressed == 0xffff_ffff { member.compressed = try next() }
            if member.header == 0xffff_ffff { member.header = try next() }
        }
        guard member.size >= 0, member.compressed >= 0, member.header >= 0 else { throw damaged }
    }

    /// - Parameter isVerified: whether its checksum is compared.
    func open(_ member: Member, isVerified: Bool = true) throws(ImportError) -> any ByteStream {
        if member.isEncrypted {
            throw .malformed(path: file.path, reason: "it has a password; extract it first, and import the folder")
        }
        guard [0, 8].contains(member.method) else {
            throw .malformed(
                path: file.path, reason: "\(member.name.prefix(100)) in it is packed by method \(member.method)")
        }
        let header = try file.bytes(at: member.header, 30)
        guard header.number(0, 4) == 0x0403_4b50 else { throw Self.damaged(file) }
        let start = member.header + 30 + header.number(26, 2) + header.number(28, 2)
        guard start <= file.size, member.compressed <= file.size - start else {
            throw .malformed(path: file.path, reason: "the archive is truncated")
        }
        return try ZipStream(
            file, name: String(member.name.prefix(100)), at: start, compressed: member.compressed, size: member.size,
            checksum: isVerified ? member.checksum : nil, isDeflated: member.method == 8)
    }
}

extension [UInt8] {
    /// An unsigned number, the lowest byte first; the highest bit of eight bytes is left out.
    ///
    /// - Precondition: the bytes are there.
    func number(_ position: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | (Int(self[position + $1]) & ($1 == 7 ? 0x7f : 0xff)) << (8 * $1) }
    }
}
