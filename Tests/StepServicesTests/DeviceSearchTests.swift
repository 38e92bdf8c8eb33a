import StepDomain
import StepServices
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DeviceSearchTests {
    private static func device(
        _ number: Int, name: String? = nil, kind: PedometerKind? = nil, evidence: KindEvidence? = nil
    ) -> ScannedDevice {
        ScannedDevice(
            address: "C0:DE:00:00:00:\(10 + number)", addressType: "random", name: name, kind: kind, evidence: evidence)
    }

    private let ring = Self.device(1, name: "R02", kind: ScriptedCatalog.ring, evidence: .name)
    private let phone = Self.device(2, name: "phone")
    private let own = Self.device(3)
    private let band = Self.device(4, kind: ScriptedCatalog.described, evidence: .advertisedData)

    private var registered: [Pedometer] {
        [Pedometer(id: 1, user: 1, model: "described", address: own.address, addressType: "random", name: "mine")]
    }

    private func search(
        _ scanner: ScriptedPedometerScanner, _ request: DeviceSearch.Request = DeviceSearch.Request(),
        progress: @escaping @Sendable (DeviceSearch.Step) -> Void = { _ in }
    ) async throws -> ScanReport {
        let registered = registered
        return try await DeviceSearch(scanner).run(request, registered: { registered }, progress: progress)
    }

    @Test func `recognised and registered devices are listed, and the others counted`() async throws {
        let scanner = ScriptedPedometerScanner([ring, phone, own, band])
        let report = try await search(scanner)
        #expect(report.devices == [ring, own, band] && report.hidden == 1 && !report.isFiltered)
        #expect(report.probing == nil && report.registered == [own.address: "mine"])
        #expect(scanner.log == ["scan 10.0"])
    }

    @Test func `every device is listed on request, and where some name or service is searched for`() async throws {
        let requests = [
            DeviceSearch.Request(seconds: 3, listsAll: true),
            DeviceSearch.Request(ScanConditions(namePrefix: "p"), seconds: 3),
            DeviceSearch.Request(ScanConditions(service: "fee7"), seconds: 3),
        ]
        for request in requests {
            let scanner = ScriptedPedometerScanner([ring, phone])
            let report = try await search(scanner, request)
            #expect(report.devices == [ring, phone] && report.hidden == 0)
            #expect(report.isFiltered == !request.listsAll && scanner.log == ["scan 3.0"])
        }
    }

    @Test func `the name that was searched for is part of the report`() async throws {
        let report = try await search(
            ScriptedPedometerScanner([]), DeviceSearch.Request(ScanConditions(namePrefix: "p")))
        #expect(report.namePrefix == "p" && report.otherNames.isEmpty && report.devices.isEmpty)
    }

    @Test func `a device whose services show a pedometer is listed`() async throws {
        let scanner = ScriptedPedometerScanner([phone, own, band], probed: [ScriptedCatalog.ring])
        let report = try await search(scanner, DeviceSearch.Request(probes: true))
        #expect(report.devices.map(\.kind?.key) == ["ring", "ring", "described"] && report.hidden == 0)
        let probing = try #require(report.probing)
        #expect(probing.skipped == 0 && probing.unlisted == 0 && probing.failures.isEmpty && !probing.isInterrupted)
    }

    @Test func `devices beyond the limit of connections are counted`() async throws {
        let others = (20..<32).map { Self.device($0) }
        let scanner = ScriptedPedometerScanner([ring] + others)
        let report = try await search(scanner, DeviceSearch.Request(probes: true))
        let probing = try #require(report.probing)
        #expect(scanner.log.count == 1 + DeviceProbing.maximumProbed && probing.limit == DeviceProbing.maximumProbed)
        #expect(report.devices.map(\.address) == [ring.address])
        #expect(report.hidden == 9 && probing.unlisted == 3 && probing.skipped == 0)
        let all = try await search(
            ScriptedPedometerScanner([ring] + others), DeviceSearch.Request(listsAll: true, probes: true))
        #expect(all.devices.count == 13 && all.hidden == 0 && all.probing?.skipped == 3 && all.probing?.unlisted == 0)
    }

    @Test func `the steps of a search are reported`() async throws {
        let steps = Steps()
        _ = try await search(ScriptedPedometerScanner([phone]), DeviceSearch.Request(probes: true)) { steps.note($0) }
        #expect(steps.all == [.scanning(seconds: 10, found: nil), .scanned(isTruncated: false), .probing(phone)])
    }
}

private final class Steps: Sendable {
    private let noted = Mutex<[DeviceSearch.Step]>([])

    func note(_ step: DeviceSearch.Step) { noted.withLock { $0.append(step) } }
    var all: [DeviceSearch.Step] { noted.withLock { $0 } }
}
