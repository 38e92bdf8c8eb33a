import Foundation
import StepDomain
import Testing

@testable import StepViews

@Suite struct DevicesViewTests {
    private func view(_ entries: DevicesView.Entry...) -> DevicesView {
        DevicesView(entries, now: Sample.now, localTime: Sample.place)
    }

    private func entry(_ name: String, _ sync: SyncRecord?) -> DevicesView.Entry {
        DevicesView.Entry(pedometer: Sample.pedometer(name), model: "a smart ring", user: "anna", lastSync: sync)
    }

    @Test func eachWithItsLastSync() {
        let text = view(
            entry("ring", Sample.sync()), entry("watch", Sample.sync(.failed, failure: "not found")),
            entry("band", Sample.sync(.running)), entry("b", nil)
        ).text()
        #expect(
            text == """
                ring   C0:DE:00:00:00:01  anna
                  a smart ring
                  synced 2 hours ago, 2014-04-21 07:30
                watch  C0:DE:00:00:00:01  anna
                  a smart ring
                  last sync failed 2 hours ago: not found
                band   C0:DE:00:00:00:01  anna
                  a smart ring
                  last sync begun 3 hours ago, not ended
                b      C0:DE:00:00:00:01  anna
                  a smart ring
                  never synced
                """)
        #expect(view().text().contains("istep scan"))
    }

    @Test func theDocument() throws {
        let json = try view(entry("ring", Sample.sync()), entry("watch", nil)).json()
        let document = try JSONDecoder().decode(DevicesView.Document.self, from: Data(json.utf8))
        let ring = try #require(document.pedometers.first)
        #expect(document.version == 1)
        let words: [String] = [ring.name, ring.address, ring.addressType, ring.model, ring.modelTitle, ring.user]
        #expect(words == ["ring", "C0:DE:00:00:00:01", "public", "colmi", "a smart ring", "anna"])
        #expect(ring.readThrough == "2014-04-21T07:30:00+02:00")
        #expect(ring.lastSync?.outcome == "complete" && ring.lastSync?.steps == 8801)
        #expect(document.pedometers.last?.lastSync == nil)
    }
}
