import Foundation
import Testing

/// What `istep report` writes into a file, and the picture that `istep show --svg` prints.
@Suite(.timeLimit(.minutes(5))) struct ReportCommandTests {
    @Test func `a report is written whole, for its owner only`() async throws {
        let folder = try Folder(), file = folder.path + "/steps.html"
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        _ = try await istep("correct", "yesterday", "--steps", "9000", "--reason", "<b>no ring</b>")
        let written = try await istep("report", "-o", file, "--json")
        #expect(written.status == 0 && written.json["days"] as? Int == 2, "\(written)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("<!DOCTYPE html>") && text.hasSuffix("</html>") && text.contains("9,000"))
        #expect(
            !text.contains("<script") && !text.contains("http:") && !text.contains("https:") && !text.contains("<form")
                && !text.contains("src=")
        )
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".tmp") }.isEmpty)
        let complaints = try Tidy.complaints(text)
        #expect(complaints.isEmpty, "\(complaints)")
        #expect(try await istep("report").output.hasPrefix("<!DOCTYPE html>"))
    }

    @Test func `a report is written where a link of the user leads, and the link stays`() async throws {
        let folder = try Folder(), link = folder.path + "/link.html", target = folder.path + "/b/steps.html"
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        _ = try await istep("correct", "yesterday", "--steps", "9000")
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + name, withIntermediateDirectories: false)
        }
        try #require(symlink("a/next", link) == 0 && symlink("../b/steps.html", folder.path + "/a/next") == 0)
        // The first time there is no such file.
        for _ in 0..<2 {
            let written = try await istep("report", "-o", link)
            #expect(written.status == 0, "\(written)")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "a/next")
            #expect(try String(contentsOfFile: target, encoding: .utf8).hasSuffix("</html>"))
            #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o600)
            try #require(chmod(target, 0o644) == 0)
        }
        try #require(symlink("loop", folder.path + "/loop") == 0)
        #expect(try await istep("report", "-o", folder.path + "/loop").status == 64)
        // Only root makes links for others.
        guard geteuid() == 0 else { return }
        try Data().write(to: URL(fileURLWithPath: target))
        try #require(lchown(link, 65_534, 65_534) == 0)
        #expect(try await istep("report", "-o", link).status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: link)[.type] as? FileAttributeType == .typeRegular)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)).isEmpty)
    }

    @Test func `only a report or an empty file is replaced`() async throws {
        let folder = try Folder(), file = folder.path + "/steps.html",
            history = folder.path + "/data/istep/history.sqlite"
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        _ = try await istep("correct", "yesterday", "--steps", "9000")
        #expect(try await istep("report", "-o", file).status == 0)
        // As istep wrote it before its reports named their generator.
        let report = try String(contentsOfFile: file, encoding: .utf8)
        let old = report.replacing("<meta name=\"generator\" content=\"istep\">", with: "")
        #expect(old != report)
        for text in [report, old, ""] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            #expect(try await istep("report", "-o", file).status == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8).hasSuffix("</html>"))
        }
        for content in ["my notes", "<!DOCTYPE html>\n<html><head><title>Steps of a dance</title></head></html>"] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: file))
            let refused = try await istep("report", "-o", file)
            #expect(
                refused.status == 64 && refused.error.contains("is not an istep report")
                    && refused.error.contains("Name another file"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == content)
        }
        #expect(try await istep("report", "-o", history).status == 64)
        #expect(try await istep("status").status == 0)
        #expect(try await istep("report", "-o", "-").output.hasPrefix("<!DOCTYPE html>"))
        #expect(try await istep("report", "-o", "-", "--json").status == 64)
    }

    @Test func `a report that cannot be written leaves the existing file unchanged`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        let nowhere = try await istep("report", "-o", folder.path + "/no/such/folder.html")
        #expect(nowhere.status == 64 && nowhere.error.contains("No such file"), "\(nowhere)")
        #expect(try await istep("report", "-o", folder.path).status == 64)
        #expect(try await istep("report", "-o", "/dev/full").status == 64)
        let range = try await istep(
            "report", "-o", folder.path + "/x.html", "--from", "2026-05-02", "--to", "2026-05-01")
        #expect(
            range.status == 64 && range.error.contains("ends before it begins")
                && range.error.contains("the first one is 2026-05-01, and the last one 2026-05-02"),
            "\(range)")
        #expect(
            try await istep("report", "-o", folder.path + "/x.html", "--from", "2999-01-01", "--to", "2999-01-02")
                .status == 64)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/x.html"))
    }

    @Test func `a day is printed as a picture`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        _ = try await istep("correct", "yesterday", "--steps", "9000")
        let card = try await istep("show", "yesterday", "--svg")
        #expect(card.status == 0 && card.output.hasPrefix("<?xml") && card.output.contains(">9,000<"), "\(card)")
        #expect(try XMLCheck.isWellFormed(card.output))
        #expect(try await istep("show", "--svg", "--json").status == 64)
    }
}
