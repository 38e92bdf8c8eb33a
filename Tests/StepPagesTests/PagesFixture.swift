import PageExchange
import StepDomain
import StepPages
import StepServices
import StepViews
import Synchronization
import TestSupport

/// The local page on a history in memory, at noon of Wednesday 2026-11-18 in Berlin, with a browser that was let in.
struct PagesFixture {
    static let now = LocalTime.berlin.at("2026-11-18", 12)
    static let today = Day("2026-11-18")!
    static let cookie = String(repeating: "c", count: 64), formKey = String(repeating: "f", count: 64)
    static let host = "127.0.0.1:7837"

    let history = InMemoryHistory()
    var destinations: [any ShareDestination] = []
    let reader = ScriptedReader([:])
    let access = ScriptedAccess()
    var scanner = ScriptedPedometerScanner([])
    var isEmpty = false
    var isClockBelieved = true
    /// Measures pauses.
    var clock: any Clock<Duration> = ContinuousClock()
    /// The user that the configuration names.
    var wanted: String?
    /// For pages that others may look at.
    var guest: GuestAccess?
    var units = UnitSystem.metric
    /// The option of a demo; nil outside of one.
    var demo: String?

    /// The history of anna, with a pedometer.
    ///
    /// - Parameter steps: as for `walk`.
    static func ofAnna(_ steps: [Int?] = [nil, 9000, 4000, 100]) throws -> PagesFixture {
        let fixture = PagesFixture()
        _ = try fixture.walk(fixture.history.addUser(named: "anna"), steps: steps)
        return fixture
    }

    /// A pedometer of a user, with `steps` on each of the last days, one hour each, today last; nil for a day of which
    /// nothing is known.
    func walk(_ user: User, steps: [Int?], named name: String = "ring", address: String = "C0:DE:52:02:A1:B2") throws
        -> Pedometer
    {
        let localTime = LocalTime.berlin
        let pedometer = history.addPedometer(
            Pedometer(user: user.id, model: "colmi", address: address, addressType: "random", name: name))
        let sync = try history.beginSync(of: pedometer.id, at: Self.now - 60)
        for (index, count) in steps.reversed().enumerated() {
            guard let count else { continue }
            let day = Self.today.advanced(by: -index), start = localTime.moment(day, seconds: 8 * 3600)
            let sample = StepSample(start: start, length: 3600, steps: count, utcOffset: localTime.utcOffset(start))
            let span = localTime.span(of: day)
            let covered = TimeSpan(span.start, min(span.end, Self.now))
            _ = try history.merge(SampleBatch(samples: [sample], coverage: [covered]), sync: sync, localTime: localTime)
        }
        try history.endSync(sync, at: Self.now - 30, outcome: .complete, battery: 80, failure: nil, cause: nil)
        return pedometer
    }

    var pages: LocalPages {
        let (history, destinations, reader, scanner, wanted) = (history, destinations, reader, scanner, wanted)
        let (isClockBelieved, clock) = (isClockBelieved, clock)
        let preferences = PageServices.Preferences(units: units)
        let source = MemorySource(stored: isEmpty ? nil : history)
        let context: @Sendable (History) -> ServiceContext = { history in
            ServiceContext(
                history: history, lock: OpenLock(), maintenance: NoMaintenance(), reader: { _, _ in reader },
                waitForAdapter: {},
                destinations: { destinations }, destinationNames: destinations.map(\.name), localTime: .berlin,
                now: { Self.now }, isClockBelieved: { isClockBelieved }, clock: clock)
        }
        return LocalPages(
            PageServices(
                histories: source, services: context,
                people: { UserSelection($0, wanted: wanted, login: "anna") }, localTime: .berlin, now: { Self.now },
                preferences: { preferences }, modelTitle: { "model \($0)" }, access: access,
                create: { source.create(history) }, scanner: { scanner },
                catalog: ScriptedCatalog(), guest: guest, commandOptions: CommandOptions(demo: demo)))
    }

    static func request(
        _ method: String = "GET", _ target: String, form: String = "", headers: [String: String] = [:]
    ) -> PageRequest? {
        var all = ["host": host, "cookie": "other=1; istep-7837=\(cookie)"]
        if method == "POST" { all["origin"] = "http://\(host)" }
        for (name, value) in headers { all[name] = value.isEmpty ? nil : value }
        return PageRequest(method: method, target: target, headers: all, body: Array(form.utf8))
    }

    func get(_ target: String) async -> (status: Int, text: String) {
        let response = await pages.respond(to: Self.request("GET", target))
        return (response.status, response.text)
    }

    /// A form with the right key.
    func post(_ target: String, _ form: String, to pages: LocalPages? = nil) async -> ServedResponse {
        await (pages ?? self.pages).respond(to: Self.request("POST", target, form: "key=\(Self.formKey)&" + form))
    }
}

extension ServedResponse {
    var text: String { if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" } }
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// Tokens and sessions in memory.
final class ScriptedAccess: PageAccess {
    private let tokens = Mutex<Set<String>>([])

    func add(_ token: String) { tokens.withLock { _ = $0.insert(token) } }

    func redeem(_ token: String) -> PageSession? {
        tokens.withLock { $0.remove(token) } == nil
            ? nil : PageSession(cookie: PagesFixture.cookie, formKey: PagesFixture.formKey)
    }

    func session(_ cookie: String) -> PageSession? {
        cookie == PagesFixture.cookie ? PageSession(cookie: cookie, formKey: PagesFixture.formKey) : nil
    }
}

final class MemorySource: HistorySource {
    struct Missing: Error {}

    private let stored: Mutex<InMemoryHistory?>

    init(stored: InMemoryHistory?) { self.stored = Mutex(stored) }

    func create(_ history: InMemoryHistory) { stored.withLock { $0 = history } }

    func history() throws -> History {
        guard let history = stored.withLock({ $0 }) else { throw Missing() }
        return history
    }

    func isMissing(_ error: any Error) -> Bool { error is Missing }
}

/// No other process works on the history.
struct OpenLock: WorkLock {
    func hold<R: Sendable>(for work: HistoryWork, _ body: () async throws -> R) async throws -> R { try await body() }
    func conflictingWork(in error: any Error) -> HistoryWork? { nil }
}

struct NoMaintenance: HistoryMaintenance {
    func checkBeforeSync() {}
    func run() {}
}
