import Foundation
import LocalServer
import Settings
import StepDomain
import StepPages
import StepServices
import StepViews

/// What the local page works with.
extension Wiring {
    /// The pages on the history as it is at each request.
    func pages(_ access: AccessFolder) -> LocalPages {
        let wiring = self
        return LocalPages(
            PageServices(
                histories: histories, services: { wiring.services($0) }, people: { wiring.people(of: $0) }, localTime: localTime, now: now,
                weekStart: weekStart,
                modelTitle: { wiring.title(ofModel: $0) }, words: { Failure($0).line ?? "\($0)" }, advice: { Failure($0).advice },
                access: FolderAccess(folder: access)))
    }

    /// Where tokens and sessions are: below the user's run-time directory, which ends with the login; without one, in a folder of this
    /// process only.
    func accessFolder() throws -> (folder: AccessFolder, temporary: URL?) {
        if let runtime = Paths(environment: environment).runtime { return (try AccessFolder(path: runtime + "/serve"), nil) }
        let own = FileManager.default.temporaryDirectory.appendingPathComponent("istep-serve-\(UUID().uuidString)")
        return (try AccessFolder(path: own.path), own)
    }
}

/// The files of tokens and sessions, for `RequestGuard`.
private struct FolderAccess: PageAccess {
    let folder: AccessFolder

    func redeem(_ token: String) -> PageSession? { folder.redeem(token).map { PageSession(cookie: $0.cookie, formKey: $0.formKey) } }
    func session(_ cookie: String) -> PageSession? { folder.session(cookie).map { PageSession(cookie: $0.cookie, formKey: $0.formKey) } }
}
