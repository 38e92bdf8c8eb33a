import Foundation
import Testing

/// The documentation of the repository names what exists: files, types, and the commands that CI runs.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
    /// README, and all pages below `.github` and `Tests/RealStack`.
    private static let pages: [(path: String, text: String)] = {
        let folders = [".github", ".github/manual", "Tests/RealStack"]
        let below = folders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: Source.root.appendingPathComponent(folder).path))
                ?? [])
                .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        }
        return (["README.md"] + below).compactMap { path in
            (try? String(contentsOf: Source.root.appendingPathComponent(path), encoding: .utf8)).map { (path, $0) }
        }
    }()

    private static func exists(_ path: String, from page: String = "x") -> Bool {
        let folder = Source.root.appendingPathComponent(page).deletingLastPathComponent()
        return FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).standardizedFileURL.path)
    }

    @Test func `the pages are there`() {
        #expect(Self.pages.count >= 16, "\(Self.pages.map(\.path))")
    }

    @Test func `links lead to files`() {
        for (path, text) in Self.pages {
            for link in text.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) where !Self.exists(String(link.1), from: path) {
                Issue.record("\(path): there is no \(link.1)")
            }
        }
    }

    @Test func `paths of the repository exist`() {
        for (path, text) in Self.pages where !path.hasSuffix("CHANGELOG.md") {
            for match in text.matches(
                of: /`((Sources|Tests|\.github|\.ci|\.packaging|systemd|udev)\/[A-Za-z0-9_.\/-]+)[ `]/)
            where !Self.exists(String(match.1)) {
                Issue.record("\(path): there is no \(match.1)")
            }
        }
    }

    /// Words in code style with two capitals, such as `StepSample`, are types, or files without their suffix. Files
    /// with it: see below.
    @Test func `types that the guides name exist`() throws {
        let guides = ["ARCHITECTURE", "ADD-A-PEDOMETER", "ADD-A-DESTINATION", "ADD-A-COMMAND", "PERFORMANCE"].map {
            ".github/\($0).md"
        }
        let code = try Source.words(below: ["Sources", "Tests"])
        for (path, text) in Self.pages where guides.contains(path) {
            for match in text.matches(of: /`([A-Z][a-z]+[A-Z][A-Za-z]+)(?!\.swift)[`.(]/)
            where !code.contains(String(match.1)) {
                Issue.record("\(path): no source has the word \(match.1)")
            }
        }
    }

    @Test func `Swift files that the pages name exist`() {
        let paths = ["Sources", "Tests"].flatMap { folder in
            FileManager.default.enumerator(atPath: Source.root.appendingPathComponent(folder).path)?.compactMap {
                $0 as? String
            } ?? []
        }
        let files = Set(paths.compactMap { $0.split(separator: "/").last.map(String.init) })
        #expect(files.contains("DocumentationTests.swift"))
        for (path, text) in Self.pages where !path.hasSuffix("CHANGELOG.md") {
            for match in text.matches(of: /`([A-Za-z+]+\.swift)`/)
            where match.1 != "Package.swift" && !files.contains(String(match.1)) {
                Issue.record("\(path): there is no \(match.1)")
            }
        }
    }

    /// The README's commands work on a new machine because CI runs them.
    @Test func `the README's commands are those of CI`() throws {
        let readme = try #require(Self.pages.first { $0.path == "README.md" }?.text)
        let ci = try String(contentsOf: Source.root.appendingPathComponent(".ci/run"), encoding: .utf8)
        #expect(readme.contains("```sh\n.ci/packages && swift run istep demo --keep "))
        let tests = try #require(readme.firstMatch(of: /```sh\n(\.ci\/packages --test && swift test[^\n]*)\n```/)?.1)
        #expect(ci.contains(tests), "\(tests)")
        #expect(
            readme.count { $0 == "\n" } <= 80,
            "the README is read in a minute")
    }

    @Test func `the check of endurance has all tests that are longer in it`() throws {
        let checks = try String(contentsOf: Source.root.appendingPathComponent(".ci/full"), encoding: .utf8)
        let filter = try #require(checks.firstMatch(of: /ISTEP_ENDURANCE=year swift test --filter '([^']+)'/)).1
        let pattern = try Regex(String(filter))
        let tests = Source.root.appendingPathComponent("Tests")
        let walk = FileManager.default.enumerator(atPath: tests.path)
        var found = 0
        while let path = walk?.nextObject() as? String {
            guard path.hasSuffix("Tests.swift"),
                try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
                    .contains(/Endurance\.(isYear|rounds)\b/)
            else { continue }
            found += 1
            // A filter is compared with the module and the suite, not with folders between them.
            let parts = path.split(separator: "/")
            let name = "\(try #require(parts.first)).\(try #require(parts.last).dropLast(".swift".count))"
            #expect(name.contains(pattern), "\(name)")
        }
        #expect(found >= 10)
    }
}
