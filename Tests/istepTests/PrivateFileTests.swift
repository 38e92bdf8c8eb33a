import Foundation
import Settings
import StepDomain
import Testing

@testable import istep

@Suite(.timeLimit(.minutes(5))) struct PrivateFileTests {
    @Test func `the advice for a file that cannot be written is that of the command`() throws {
        let folder = try Folder()
        for path in [folder.path, "/dev/full", folder.path + "/missing/file"] {
            let failure = #expect(throws: CommandFailure.self) {
                try PrivateFile.write("x", to: path, advice: "Do without it.")
            }
            #expect(failure?.advice == "Do without it.", "\(path)")
        }
    }

    @Test func `a file that appears before the end is not replaced where none may be`() throws {
        let folder = try Folder(), path = folder.path + "/capture.txt"
        let file = try PrivateFile(path, advice: "Choose another.", replaces: false)
        try file.write(Array("new".utf8))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let failure = #expect(throws: CommandFailure.self) { try file.finish() }
        #expect(failure?.category == .usage && failure?.advice == "Choose another.")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        let export = try #require(throws: CommandFailure.self) {
            try PrivateFile.write("new", to: path, advice: "Choose another.", replaces: false)
        }
        #expect(export.description.contains("File exists"))
        try FileManager.default.removeItem(atPath: path)
        try file.finish()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".tmp") } == [])
    }

    /// With another name beside it, the longest one was refused as too long.
    @Test func `a file can have the longest name of the file system`() throws {
        let folder = try Folder(), path = folder.path + "/" + String(repeating: "a", count: 255)
        try PrivateFile.write("new", to: path, advice: "Choose another.")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
    }

    @Test func `an export does not replace a file that appears while it is written`() throws {
        let folder = try Folder(), path = folder.path + "/steps.jsonl"
        let file = try ExportFile(path)
        try file.line("{}")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: CommandFailure.self) { try file.finish() }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `the folder of a demo is quoted as one word in the advice`() throws {
        let folder = try Folder()
        let failure = #expect(throws: CommandFailure.self) {
            var arguments = ["--demo=\(folder.path)/my demo", "show"]
            try DemoFolder.enter(&arguments, environment: [:])
        }
        #expect(failure?.advice == "Start one: `istep demo --keep '\(folder.path)/my demo'`")
    }

    @Test(arguments: [
        ["--demo=/x"], ["--demo=/x", "show"], ["show", "--demo=/x"], ["share", "--list", "--demo=/x", "--check"],
    ])
    func `the option of a demo can stand anywhere, also alone`(line: [String]) throws {
        var arguments = line
        let failure = #expect(throws: CommandFailure.self) { try DemoFolder.enter(&arguments, environment: [:]) }
        #expect(failure?.category == .unavailable && failure?.description == "No demo runs in '/x'.")
        #expect(arguments == line.filter { $0 != "--demo=/x" })
    }

    @Test(arguments: [
        ["show", "--", "--demo=/x"], ["demo", "--demo=/x"], ["--demo=/x", "--help"], ["--demo=/x", "show", "--help"],
        ["show"], [],
    ])
    func `without the option, or for help, no demo is entered`(line: [String]) throws {
        var arguments = line
        try DemoFolder.enter(&arguments, environment: [:])
    }

    @Test func `a demo finds its file, whatever the name of its folder is`() throws {
        let folder = try Folder()
        for name in ["plain", "it's", "a \"\u{301}b", "it's \"\u{301}\\'\u{301}"] {
            let demo = DemoFolder(path: folder.path + "/" + name, isTemporary: false)
            try demo.configure()
            let text = try String(contentsOfFile: demo.path + "/istep/config.toml", encoding: .utf8)
            let tables = try SettingsTable.destinations(in: text, path: "config.toml")
            #expect(tables.first?.text("path") == demo.path + "/diary.csv", "\(text)")
        }
    }
}
