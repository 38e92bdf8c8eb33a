import Foundation
import StepDomain
import StepViews
import Testing

private final class Lines: ExportOutput {
    var lines: [String] = []
    func line(_ text: String) { lines.append(text) }
    func finish() {}
}

@Suite(.timeLimit(.minutes(5))) struct ExportTextTests {
    private let row: [ExportValue] = [
        .text("Ada, \"A\""), .integer(3), .text("2014-04-20T07:30:00+02:00"), .integer(900), .integer(120),
        .number(80.5), .null, .integer(7),
    ]

    @Test func `CSV has a header, and quotes where they are needed`() throws {
        let lines = Lines()
        var ended = 0
        let writer = CSVExport {
            $0 == .tables ? nil : lines
        } end: {
            ended += 1
        }
        try writer.begin(.samples)
        try writer.row(row)
        try writer.begin(.tables)
        try writer.row([.text("samples"), .integer(1)])
        try writer.finish()
        #expect(
            lines.lines == [
                "user,pedometer,start,seconds,steps,distance_metres,energy_kilocalories,sync",
                "\"Ada, \"\"A\"\"\",3,2014-04-20T07:30:00+02:00,900,120,80.5,,7",
            ] && ended == 1)
        #expect(CSVText.line([.text(" a"), .text(""), .text("b\nc"), .boolean(true)]) == "\" a\",\"\",\"b\nc\",true")
    }

    @Test func `JSON lines are objects with the name of their table`() throws {
        let lines = Lines()
        let writer = JSONLinesExport(lines)
        writer.begin(.samples)
        try writer.row(row)
        writer.begin(.users)
        try writer.row([.text("a\u{1b}\\\u{202e}\u{1F6B6}")])
        #expect(lines.lines[1] == "{\"table\":\"users\",\"user\":\"a\\u001b\\\\\\u202e\u{1F6B6}\"}")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(lines.lines[0].utf8)) as? [String: Any])
        #expect(object["user"] as? String == "Ada, \"A\"" && object["energy_kilocalories"] is NSNull)
        #expect(object["distance_metres"] as? Double == 80.5 && object["table"] as? String == "samples")
    }

    @Test func `a sample is a data point of Open mHealth, the same in each export`() throws {
        func points(_ now: Int) throws -> [String] {
            let lines = Lines()
            let writer = OpenMHealthExport(lines, at: Timestamp(now))
            writer.begin(.pedometers)
            try writer.row([.integer(3), .text("Ada"), .text("ring \"1\""), .text("colmi")])
            writer.begin(.samples)
            try writer.row(row)
            var odd = row
            odd[2] = .time(1_397_979_000, utcOffset: -2670)
            try writer.row(odd)
            return lines.lines
        }
        let lines = try points(1_400_000_000)
        let objects = try lines.map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let header = try #require(objects[0]["header"] as? [String: Any])
        let id = try #require(header["id"] as? String)
        #expect(UUID(uuidString: id) != nil && header["user_id"] as? String == "Ada, \"A\"")
        #expect(
            header["schema_id"] as? [String: String] == ["namespace": "omh", "name": "step-count", "version": "2.0"])
        #expect(
            header["acquisition_provenance"] as? [String: String] == [
                "source_name": "ring \"1\"", "modality": "sensed",
            ])
        let body = try #require(objects[0]["body"] as? [String: Any])
        let frame = try #require(body["effective_time_frame"] as? [String: [String: String]])
        #expect(
            body["step_count"] as? Int == 120
                && frame["time_interval"] == [
                    "start_date_time": "2014-04-20T07:30:00+02:00", "end_date_time": "2014-04-20T07:45:00+02:00",
                ])
        #expect(lines[1].contains("2014-04-20T07:30:00+00:00"), "RFC 3339 has no seconds in offsets")
        let again = try points(1_500_000_000)
        #expect(again[0].contains(id) && !lines[1].contains(id))
    }
}
