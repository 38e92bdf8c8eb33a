import Settings
import Testing

/// The exact message about one wrong value.
@Suite(.timeLimit(.minutes(5))) struct WrongValueTests {
    private static let location = "\"c.toml\", line 2: `share.garden.key` "

    private func message(_ value: String, home: String? = nil, _ read: (inout TableReader) -> Any?) throws -> String? {
        var reader = try reader("[share.garden]\nkey = \(value)", home: home)
        #expect(read(&reader) == nil)
        do throws(SettingsProblems) { try reader.finish() } catch {
            #expect(error.errors.count == 1)
            return error.description
        }
        return nil
    }

    @Test(arguments: [
        ("3", "has to be a text: a street, not a number"), ("true", "has to be a text: a street, not true or false"),
        ("['x']", "has to be a text: a street, not an array"), ("''", "is \"\"; it has to be a street"),
        ("\" \\t\"", "is \" \\u{9}\"; it has to be a street"),
        ("\"a\\nb\"", "is \"a\\u{a}b\"; it has to be a street, without control characters"),
        ("\"a\\u2028b\"", "is \"a\\u{2028}b\"; it has to be a street, without control characters"),
    ])
    func `an invalid text is reported with the expected value`(value: String, expected: String) throws {
        #expect(try message(value) { $0.text("key", "a street") } == Self.location + expected)
        #expect(try message(value) { $0.requireText("key", "a street") } == Self.location + expected)
    }

    @Test(arguments: ["\"s3cret\\n\"", "\"\\u001Bs3cret\"", "\"s3cret\\t\""])
    func `an invalid private text is reported without its value`(value: String) throws {
        #expect(
            try message(value) { $0.text("key", "a street", isPrivate: true) }
                == Self.location + "has to be a street, without control characters")
        #expect(
            try message("'s3cret'") { $0.value("key", "a street", isPrivate: true) { _ in Int?.none } } == Self.location
                + "has to be a street")
    }

    @Test(arguments: [("'true'", "a text"), ("1", "a number"), ("{}", "a table")])
    func `a value other than true or false is reported`(value: String, found: String) throws {
        #expect(try message(value) { $0.flag("key") } == Self.location + "has to be true or false, not \(found)")
    }

    @Test(arguments: [
        ("0", "is \"0\"; it has to be tries, from 1 to 9"), ("10", "is \"10\"; it has to be tries, from 1 to 9"),
        ("-9223372036854775808", "is \"-9223372036854775808\"; it has to be tries, from 1 to 9"),
        ("1.0", "has to be tries, from 1 to 9, not a number with a point"),
        ("'1'", "has to be tries, from 1 to 9, not a text"),
    ])
    func `an integer of the wrong type or range is reported`(value: String, expected: String) throws {
        #expect(try message(value) { $0.integer("key", in: 1...9, "tries") } == Self.location + expected)
    }

    @Test(arguments: ["publik", "PUBLIC"])
    func `an invalid choice is reported with the nearest valid choice`(value: String) throws {
        #expect(
            try message("'\(value)'") { $0.choice("key", among: ["public", "private"]) }
                == Self.location + "is \"\(value)\"; it has to be `public` or `private`; did you mean `public`?")
    }

    @Test func `an invalid choice without a near match has no suggestion`() throws {
        #expect(
            try message("'everybody'") { $0.choice("key", among: ["public", "private", "direct"]) }
                == Self.location + "is \"everybody\"; it has to be `public`, `private` or `direct`")
        #expect(
            try message("1") { $0.choice("key", among: ["public"]) } == Self.location
                + "has to be a text: `public`, not a number")
    }

    @Test(arguments: [
        "2026-02-29", "2100-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "0000-01-01", "2026-1-1",
        "26-01-01",
        "2026-01-01T00:00:00", "20260101", "yesterday", "+026-01-01", "2026-01--1", "２026-01-01", "",
    ])
    func `a text that is not a valid date is reported`(value: String) throws {
        #expect(
            try message("'\(value)'") { $0.date("key") }
                == Self.location + "is \"\(value)\"; it has to be a day that exists, such as 2026-03-01")
    }

    @Test(arguments: [("20260101", "a number"), ("07:30:00", "a time"), ("2026-01-01T07:30:00Z", "a date with time")])
    func `a date of the wrong type is reported`(value: String, found: String) throws {
        #expect(
            try message(value) { $0.date("key") } == Self.location
                + "has to be a day that exists, such as 2026-03-01, not \(found)")
        #expect(
            try message("0000-01-01") { $0.date("key") }
                == Self.location + "is \"0000-01-01\"; it has to be a day that exists, such as 2026-03-01")
    }

    @Test(arguments: [
        ("3", "has to be a text or a list of texts: names, not a number"),
        ("['a', 1]", "has to be a list of texts: names, not one with a number"),
        ("[['a']]", "has to be a list of texts: names, not one with an array"),
        ("['a', ' ']", "is \" \"; it has to be names"),
        ("[\"a\\r\"]", "is \"a\\u{d}\"; it has to be names"), ("''", "is \"\"; it has to be names"),
    ])
    func `an invalid list of texts is reported`(value: String, expected: String) throws {
        #expect(try message(value) { $0.texts("key", "names") } == Self.location + expected)
    }

    @Test(arguments: [
        ("'s3cret'", "` has to be a table of texts: headers, not a text"),
        ("{ a = 1 }", ".a` has to be a text, not a number"),
        ("{ a = { b = 's3cret' } }", ".a` has to be a text, not a table"),
        ("{ a = \"s3cret\\n\" }", ".a` has to be a text under a name, both without control characters"),
        (
            "{ \"a\\u001B\" = 's3cret' }",
            ".\"a\\u{1b}\"` has to be a text under a name, both without control characters"
        ),
        ("{ '' = 's3cret' }", ".\"\"` has to be a text under a name, both without control characters"),
    ])
    func `an invalid table of texts is reported without its values`(value: String, expected: String) throws {
        #expect(try message(value) { $0.textTable("key", "headers") } == Self.location.dropLast(2) + expected)
    }

    @Test(arguments: ["steps.jsonl", "~", "~ada/steps", "./steps"])
    func `a path that is not absolute is reported`(value: String) throws {
        #expect(
            try message("'\(value)'", home: "/home/ada") { $0.path("key", "a file") }
                == Self.location + "is \"\(value)\"; it has to be a file, a path that starts with / or ~/")
        #expect(try message("'~/steps'") { $0.path("key", "a file") }?.contains("~/steps") == true, "without a home")
    }
}
