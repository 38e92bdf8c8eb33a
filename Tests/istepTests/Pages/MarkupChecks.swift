import Foundation
import TestSupport

/// Debian's checker for HTML.
enum Tidy {
    /// Warnings and errors. The link of SVG 2 (`a` with `href`), `inputmode` (HTML 5.1), a size of SVG in per cent and
    /// the groups of a description list (`div` in `dl`, HTML 5.2) are newer than this program.
    static func complaints(_ html: String) throws -> [String] {
        let known = html.replacing(/<dl[^>]*>.*?<\/dl>/) {
            $0.output.replacing("<div>", with: "").replacing("</div>", with: "")
        }
        let output = try ToolOutput.of("/usr/bin/tidy", ["-q", "-e", "-utf8"], input: known)
        return output.split(separator: "\n").map(String.init).filter { line in
            !line.contains("<a> proprietary attribute") && !line.contains("proprietary attribute \"inputmode\"")
                && !line.contains("<svg> proprietary attribute")
        }
    }
}

enum XMLCheck {
    static func isWellFormed(_ text: String) throws -> Bool {
        try ToolOutput.of(
            "/usr/bin/python3", ["-c", "import sys, xml.dom.minidom as x; x.parseString(sys.stdin.buffer.read())"],
            input: text
        )
        .isEmpty
    }
}

enum ToolOutput {
    /// Standard error of a program that reads the text.
    static func of(_ program: String, _ arguments: [String], input: String) throws -> String {
        let folder = try Folder()
        let file = URL(fileURLWithPath: folder.path + "/input")
        try Data(input.utf8).write(to: file)
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: file)
        process.standardOutput = .nullDevice
        let errors = URL(fileURLWithPath: folder.path + "/errors")
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return try String(contentsOf: errors, encoding: .utf8)
    }
}
