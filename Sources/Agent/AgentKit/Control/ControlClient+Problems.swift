internal import Foundation
internal import Glibc

extension ControlClient {
    /// It took the request and said nothing, or went away meanwhile.
    var silent: AgentProblem {
        AgentProblem(
            "The agent at \(path) does not answer",
            advice: "See `systemctl status trackme-agent`; when it hangs, `systemctl restart trackme-agent`")
    }

    func unreachable(_ error: Int32) -> AgentProblem {
        switch error {
        case EACCES, EPERM:
            AgentProblem(
                "You may not use the agent's control socket \(path)",
                advice: "Join the group trackme: `adduser \(NSUserName()) trackme` as root, then log in again")
        case ENOENT, ECONNREFUSED:
            AgentProblem(
                "No agent is running on this box (nobody answers at \(path))", advice: "Start it: `systemctl start trackme-agent`")
        case EAGAIN:
            AgentProblem("The agent at \(path) has too much to do to answer", advice: "Try again in a moment")
        default:
            AgentProblem(
                "The control socket \(path) cannot be used: \(String(cString: strerror(error)))",
                advice: "See `systemctl status trackme-agent`")
        }
    }
}
