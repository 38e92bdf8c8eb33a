import StepDomain
import StepServices
import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct ServiceErrorWordsTests {
    /// The name is what a device advertises, or what a configuration says.
    @Test func `a name in an advice is one word for the shell`() throws {
        let name = "a'; rm -rf ~; '", word = #"'a'\''; rm -rf ~; '\'''"#
        let known = try #require(ServiceErrorWords.advice(.alreadyRegistered(address: "C0:DE:00:00:00:01", name: name)))
        let address = "C0:DE:00:00:00:01"
        #expect(
            known
                == "To change its name: `istep devices \(address) --rename NAME`. To change its model, forget it and add it again; "
                + "its steps stay: `istep forget \(address)`")
        let gone = try #require(ServiceErrorWords.advice(.notInOutbox(Sample.day, destination: name)))
        #expect(gone == "To list the outbox: `istep outbox list \(word)`")
        let sent = try #require(ServiceErrorWords.advice(.alreadySent(Sample.day, destination: name)))
        #expect(sent == "To send it once more: `istep share 2014-04-20 --with \(word) --again`")
    }
}
