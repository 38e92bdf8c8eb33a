internal import Support

/// A format of files in which other programs store steps.
public struct ForeignFormat: Hashable, Sendable {
    /// The word of `--format`, such as `gadgetbridge`.
    public var key: String
    /// The program or the files, such as `Gadgetbridge`.
    public var title: String
    /// Which files it has, in one sentence.
    public var files: String

    public init(key: String, title: String, files: String) {
        self.key = key
        self.title = title
        self.files = files
    }
}

/// What counted the steps of a file: a pedometer, a phone, an app.
public struct ForeignSource: Hashable, Sendable {
    /// The same in each export of this source, and different from those of others: an address of the device where the
    /// file has one, else its name. Two sources with one identity count as one, whose later export corrects the earlier
    /// one.
    public var identity: String
    /// For people, such as `Mi Smart Band 5`.
    public var name: String

    public init(identity: String, name: String) {
        self.identity = identity
        self.name = name
    }
}

/// How it is known at which UTC offset the steps of a file were made.
public enum ZoneKnowledge: Hashable, Sendable {
    /// Each record has its offset.
    case records
    /// The user has named the zone.
    case named(String)
    /// The file does not tell; the zone of this machine is used, by its name if it has one.
    case machine(String?)
}

/// What a reader has noticed in a file and the user should know before it is imported.
public enum ForeignNote: Hashable, Sendable {
    /// A guess or a decision, in one sentence.
    case decision(String)
    /// Records that were left out, with the reason.
    case leftOut(Int, String)
}

/// The steps of one source in a file.
public struct ForeignTrack: Sendable {
    public var source: ForeignSource
    /// What it says of each day of UTC, by day, packed by `PackedDay`. Of UTC, so that a sample is in the same part
    /// whatever its offset.
    public var parts: [(day: Day, content: [UInt8])]
    /// The local days with anything known, by day, with their steps.
    public var days: [(day: Day, steps: Int)]
    /// The end of the last sample or span. Of two exports of one source, the one that reaches further is the newer one.
    public var until: Timestamp

    public init(
        source: ForeignSource, parts: [(day: Day, content: [UInt8])], days: [(day: Day, steps: Int)], until: Timestamp
    ) {
        self.source = source
        self.parts = parts
        self.days = days
        self.until = until
    }

    public var steps: Int { days.reduce(0) { $0 + $1.steps } }
    public var firstDay: Day? { days.first?.day }
    public var lastDay: Day? { days.last?.day }
}

/// What a file of another program says of a person's steps.
public struct ForeignHistory: Sendable {
    public var format: ForeignFormat
    /// The absolute path of the file or folder.
    public var path: String
    public var tracks: [ForeignTrack]
    /// Only of another history of istep, and of an export of one.
    public var decisions: ForeignDecisions
    public var zone: ZoneKnowledge
    public var notes: [ForeignNote]

    public init(
        format: ForeignFormat, path: String, tracks: [ForeignTrack], decisions: ForeignDecisions = ForeignDecisions(),
        zone: ZoneKnowledge, notes: [ForeignNote] = []
    ) {
        self.format = format
        self.path = path
        self.tracks = tracks
        self.decisions = decisions
        self.zone = zone
        self.notes = notes
    }

    public var isEmpty: Bool { tracks.allSatisfy(\.parts.isEmpty) && decisions.isEmpty }

    /// Equal for files that say the same of the same sources: 16 hexadecimal digits.
    public var digest: String {
        var hash = FNV1a()
        func add(_ bytes: some Sequence<UInt8>) {
            hash.add(bytes)
            hash.add(0x100)
        }
        for track in tracks.sorted(by: { $0.source.identity < $1.source.identity }) {
            add(track.source.identity.utf8)
            for (day, content) in track.parts {
                add(String(day.daysSince1970).utf8)
                add(content)
            }
        }
        if !decisions.isEmpty { add(decisions.digestText.utf8) }
        return hash.value.digits(radix: 16, width: 16)
    }
}

/// What the user has said about a file.
public struct ForeignOptions: Sendable {
    /// The key of the format; nil to recognise it.
    public var format: String?
    /// The zone of the owner, for files without UTC offsets.
    public var localTime: LocalTime
    public var zone: ZoneKnowledge
    /// The columns of a CSV file by their meaning: `day`, `time`, `steps` and so on.
    public var columns: [String: String]
    /// Whether records that no person and no clock can have made are left out; otherwise the first one is an error.
    public var leavesOutImpossible: Bool
    /// The user whose steps they are: of a file with several users the one of the same name counts.
    public var user: String?
    /// The user of the file whose steps come in, whatever the name of `user`; nil if that was not said.
    public var fromUser: String?
    /// The newest schema of another history of istep that can be read.
    public var historyVersion: Int
    public var now: Timestamp

    public init(
        format: String? = nil, localTime: LocalTime, zone: ZoneKnowledge, columns: [String: String] = [:],
        leavesOutImpossible: Bool = false, user: String? = nil, fromUser: String? = nil,
        historyVersion: Int, now: Timestamp
    ) {
        self.user = user
        self.fromUser = fromUser
        self.historyVersion = historyVersion
        self.format = format
        self.localTime = localTime
        self.zone = zone
        self.columns = columns
        self.leavesOutImpossible = leavesOutImpossible
        self.now = now
    }

    /// What a column can mean; `order` is that of day and month in a date.
    public static let columnRoles = ["counter", "day", "device", "end", "order", "start", "steps", "time"]

    /// Reads columns by their meaning, such as `day=Date,steps=Count`.
    ///
    /// - Returns: nil if it is not of this form.
    public static func columns(_ text: String) -> [String: String]? {
        var result: [String: String] = [:]
        for part in text.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map { String($0.trimming(while: \.isWhitespace)) }
            guard sides.count == 2, columnRoles.contains(sides[0]),
                sides[0] != "order" || ["dmy", "mdy", "ymd"].contains(sides[1])
            else { return nil }
            result[sides[0]] = sides[1]
        }
        return result
    }
}
