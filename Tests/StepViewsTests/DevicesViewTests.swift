import Foundation
import StepDomain
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct DevicesViewTests {
    private func view(_ entries: DevicesView.Entry...) -> DevicesView {
        DevicesView(entries, now: Sample.now, localTime: Sample.localTime)
    }

    private func entry(_ name: String, _ syncs: SyncRecord...) -> DevicesView.Entry {
        DevicesView.Entry(pedometer: Sample.pedometer(name), model: "a smart ring", user: "anna", syncs: syncs)
    }

    @Test func `each pedometer is shown with its last sync`() {
        let text = view(
            entry("ring", Sample.sync()),
            entry("watch", Sample.sync(.failed, battery: nil, failure: "not found"), Sample.sync()),
            entry("band", Sample.sync(.running, battery: nil)), entry("b")
        ).text()
        #expect(
            text == """
                ring   C0:DE:00:00:00:01  anna
                  a smart ring, battery 81 %
                  its steps are stored up to 2014-04-21 07:30
                  synced 2 hours ago, 2014-04-21 07:30
                watch  C0:DE:00:00:00:01  anna
                  a smart ring, battery 81 %
                  its steps are stored up to 2014-04-21 07:30
                  synced 2 hours ago, 2014-04-21 07:30
                  an attempt failed 2 hours ago: not found
                band   C0:DE:00:00:00:01  anna
                  a smart ring
                  its steps are stored up to 2014-04-21 07:30
                  no sync has succeeded lately
                  an attempt was interrupted 3 hours ago
                b      C0:DE:00:00:00:01  anna
                  a smart ring
                  its steps are stored up to 2014-04-21 07:30
                  never synced
                """)
        #expect(view().text().contains("istep scan"))
    }

    @Test func `nothing is cut on a narrow terminal`() {
        let lines = view(entry("a ring with a long name", Sample.sync())).lines(TextStyle(width: 40))
        #expect(lines.prefix(2) == ["a ring with a long name", "  C0:DE:00:00:00:01  anna"])
    }

    @Test func `the document contains each pedometer with its syncs`() throws {
        let json = try view(
            entry("ring", Sample.sync()), entry("watch", Sample.sync(.failed, battery: nil), Sample.sync()), entry("b")
        ).json()
        let document = try JSONDecoder().decode(DevicesView.Document.self, from: Data(json.utf8))
        let ring = try #require(document.pedometers.first)
        #expect(document.version == 1)
        let words: [String] = [ring.name, ring.address, ring.addressType, ring.model, ring.modelTitle, ring.user]
        #expect(words == ["ring", "C0:DE:00:00:00:01", "public", "colmi", "a smart ring", "anna"])
        #expect(ring.readThrough == "2014-04-21T07:30:00+02:00")
        #expect(ring.lastSync?.outcome == "complete" && ring.lastSync?.steps == 8801 && ring.battery == 81)
        var doubtful = entry("b")
        doubtful.caveat = "Its midnight is not proven."
        #expect(ring.caveat == nil && view(doubtful).document.pedometers.first?.caveat == "Its midnight is not proven.")
        let watch = document.pedometers[1]
        #expect(watch.lastSync?.outcome == "failed" && watch.lastComplete?.outcome == "complete" && watch.battery == 81)
        #expect(document.pedometers.last?.lastSync == nil)
    }
}
