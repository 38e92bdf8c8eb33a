/// For loops that wait for something that announces itself in no way: lets other tasks run, and ends the loop of a
/// cancelled test.
///
/// A loop without it keeps one of Swift's threads, of which there are as many as processors; two such loops stop all
/// other tests.
public func letOthersRun() async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    await Task.yield()
}
