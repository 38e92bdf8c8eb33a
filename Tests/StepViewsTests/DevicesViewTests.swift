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
        let document = try ReadDocument(
            view(
                entry("ring", Sample.sync()), entry("watch", Sample.sync(.failed, battery: nil), Sample.sync()),
                entry("b")))
        let ring = document.pedometers[0], watch = document.pedometers[1]
        #expect(document.version == 1)
        #expect(ring.name == "ring" && ring.address == "C0:DE:00:00:00:01" && ring.addressType == "public")
        #expect(ring.model == "colmi" && ring.modelTitle == "a smart ring" && ring.user == "anna")
        #expect(ring.readThrough == "2014-04-21T07:30:00+02:00")
        #expect(ring.lastSync.outcome == "complete" && ring.lastSync.steps == 8801 && ring.battery == 81)
        var doubtful = entry("b")
        doubtful.caveat = "Its midnight is not proven."
        #expect(ring.caveat == .null)
        #expect(try ReadDocument(view(doubtful)).pedometers[0].caveat == "Its midnight is not proven.")
        #expect(watch.lastSync.outcome == "failed" && watch.lastComplete.outcome == "complete" && watch.battery == 81)
        #expect(document.pedometers[2].lastSync == .null)
    }
}
