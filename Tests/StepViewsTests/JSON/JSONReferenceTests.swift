import Foundation
import Testing

@testable import StepViews

/// The reference of all documents, as `istep json` prints it.
@Suite(.timeLimit(.minutes(5))) struct JSONReferenceTests {
    @Test func `the reference names every document with its keys`() {
        let lines = SampleDocuments.reference.lines(TextStyle())
        #expect(lines.allSatisfy { Columns.of($0) <= 80 })
        let text = lines.joined(separator: "\n")
        for entry in SampleDocuments.reference.entries where entry.name != "error" {
            for command in entry.commands { #expect(text.contains("istep \(command)")) }
        }
        for words in [
            "lastSyncTime: time with offset; or null.", "lastSync: time with offset; or null. Deprecated.",
            "today: object as of show.",
        ] {
            #expect(text.contains(words))
        }
        #expect(Set(SampleDocuments.reference.entries.map(\.name)).count == SampleDocuments.reference.entries.count)
    }

    @Test func `the documents of a command are found by its first words, or by their name`() {
        let reference = JSONReference([
            ("gatt", [JSONUse(.gatt, "list"), JSONUse(.value, "read", "write")]), ("show", [JSONUse(.show)]),
            ("share", [JSONUse(.share), JSONUse(.previews, "--dry-run")]),
            ("outbox", [JSONUse(.share, "send"), JSONUse(.outbox, "list")]), ("json", []),
        ])
        let names = { (words: [String]) in reference.entries(of: words).map(\.name) }
        #expect(names(["gatt", "list"]) == ["gatt"] && names(["gatt"]) == ["gatt", "value"])
        #expect(names(["share"]) == ["share", "previews"] && names(["share", "--dry-run"]) == ["previews"])
        #expect(names(["outbox"]) == ["share", "outbox"] && names(["value"]) == ["value"])
        #expect(names([]).count == reference.entries.count && names(["shwo"]).isEmpty && names(["show", "x"]).isEmpty)
        #expect(reference.subcommands == ["gatt", "show", "share", "outbox"])
        #expect(reference.entries.first { $0.name == "share" }?.commands == ["share", "outbox send"])
    }

    @Test func `a part of the reference has only its documents, and its schema those that they refer to`() throws {
        let status = SampleDocuments.reference.entries(of: ["status"])
        let lines = SampleDocuments.reference.lines(TextStyle(), of: status)
        #expect(lines.first == "istep print status" && !lines.contains("istep print show"))
        let schema = try SampleDocuments.reference.schema(of: status)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
        #expect((object["$defs"] as? [String: Any])?.keys.sorted() == ["show", "status"])
        #expect((object["anyOf"] as? [[String: String]]) == [["$ref": "#/$defs/status"]])
    }
}
