import StepDomain
import StepViews
import Testing

/// What to do about an import of the configuration that failed, which has keys instead of options.
@Suite(.timeLimit(.minutes(5))) struct ScheduledImportAdviceTests {
    private static let advice: [(error: ImportError, advice: String)] = [
        (.missing(path: "/S"), "Check the path."),
        (.unreadable(path: "/S", reason: "no"), "Check its permissions."),
        (
            .unknownFormat(path: "/S", hint: nil),
            "Any table with a date and steps in each line can be imported. To list the formats: `istep import --formats`"
        ),
        (
            .unnamedCount(path: "/S", format: "fitbit"),
            "If it has steps, write fitbit as format into [import.phone] of the configuration."
        ),
        (.noSuchFormat("x", known: []), "To list the formats: `istep import --formats`"),
        (.notOfFormat(path: "/S", format: "x"), "Check path and format in [import.phone] of the configuration."),
        (
            .ambiguousFormat(path: "/S", candidates: ["a", "b"]),
            "Write one of them as format into [import.phone] of the configuration."
        ),
        (
            .severalExports(path: "/S", files: ["a", "b"]),
            "Write the path of one of them as path into [import.phone] of the configuration."
        ),
        (.malformed(path: "/S", reason: "no"), "Correct the file, or export it again."),
        (.newerHistory(path: "/S", found: 99, supported: 1), "Update istep to the version that wrote it."),
        (.tooMuch("much"), "Export a shorter time, or only one source."),
        (.impossible("that"), "Leave such records out by hand: `istep import --skip-impossible /S/a.zip`"),
        (
            .columns("What?", advice: "Name them with --columns."),
            "Write its columns as columns into [import.phone] of the configuration, such as \"day=Date,steps=Count\". To see what they are: `istep import /S/a.zip`"
        ),
        (
            .severalUsers(path: "/S", users: ["a", "b"]),
            "Write the one whose steps are to come in as from-user into [import.phone] of the configuration."
        ),
        (
            .noSuchUser("c", path: "/S", users: ["a", "b"]),
            "Write the one whose steps are to come in as from-user into [import.phone] of the configuration."
        ),
        (.noUsers(path: "/S"), "Remove from-user from [import.phone] of the configuration."),
        (.noZone("x"), "Check zone in [import.phone] of the configuration: a name such as Europe/Berlin."),
        (.noImport(3), "To list the imports: `istep imports`"),
        (
            .otherZone(3),
            "Write that zone as zone into [import.phone] of the configuration, or take the earlier import back: `istep imports remove 3`"
        ),
        (
            .inUse(path: "/S"), "It has these steps already. To give some of them to another user: `istep move`"
        ),
    ]

    @Test(arguments: advice)
    func `each error of an import has advice for the configuration`(error: ImportError, advice: String) {
        let failure = ErrorText(ScheduledImportFailure(name: "phone", file: "/S/a.zip", error))
        #expect(failure.advice == advice)
        #expect(failure.message.hasPrefix("[import.phone]: "))
        // Outside of commands there are no options.
        let prose = advice.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter {
            $0.offset % 2 == 0
        }
        #expect(!prose.contains { $0.element.contains("--") })
        #expect(!failure.message.contains("--"))
    }

    @Test func `each case is in the list`() {
        let places = Self.advice.map { Self.place($0.error) }
        #expect(places == Array(0..<places.count))
    }

    /// A new case does not compile until it is here.
    private static func place(_ error: ImportError) -> Int {
        switch error {
        case .missing: 0
        case .unreadable: 1
        case .unknownFormat: 2
        case .unnamedCount: 3
        case .noSuchFormat: 4
        case .notOfFormat: 5
        case .ambiguousFormat: 6
        case .severalExports: 7
        case .malformed: 8
        case .newerHistory: 9
        case .tooMuch: 10
        case .impossible: 11
        case .columns: 12
        case .severalUsers: 13
        case .noSuchUser: 14
        case .noUsers: 15
        case .noZone: 16
        case .noImport: 17
        case .otherZone: 18
        case .inUse: 19
        }
    }
}
