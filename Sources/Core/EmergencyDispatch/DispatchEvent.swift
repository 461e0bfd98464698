package import Distress
package import Vitals

/// An event of a case. Times in it are UTC milliseconds on the axis of ``SOSCase/handle(_:at:)``.
package enum DispatchEvent: Sendable, Hashable {
    case detector(Detector)
    case crew(Crew)
    case helper(SOSHelperAct, by: SOSHelper, speaksForPerson: Bool)
    case call(Call)
    case box(Box)
    case hub(Hub)

    /// Of the person's detector at the hub, which has one incident for the case.
    package enum Detector: Sendable, Hashable {
        /// It knows more of the alarm.
        case alarm(Alarm)
        /// Somebody has it, gave it back, or it is over.
        /// - Parameters:
        ///   - name: the owner's, where the detector alone has heard of them.
        ///   - isHandedOver: a crew or a control room takes it at the same moment.
        ///   - roomsWithoutNews: control rooms that have no word for news.
        case announced(Announcement, name: String?, isHandedOver: Bool, roomsWithoutNews: Set<String>)
        /// Help was asked for in a case of which only caregivers know.
        case help(Alarm)
        /// It was over before the case was stored with that.
        case wasOver(Outcome)
        /// The end was a false alarm, as is reported behind it.
        case corrected(Outcome)
    }

    /// Of crews of ambulances.
    package enum Crew: Sendable, Hashable {
        /// The answer to ``DispatchEffect/findCrews(_:)``.
        case found(SOSSearchResult)
        /// Its page shows the offer.
        case saw(AccountID)
        case accepted(SOSCrew)
        case rejected(AccountID)
        /// nil: the crew gives it back.
        /// - Parameter place: where it says so; nil where that is not known.
        case status(SOSCrew.Status?, of: AccountID, place: CrewPlace?)
        case notified(AccountID)
    }

    /// Of one message to one recipient, by its number.
    package enum Call: Sendable, Hashable {
        /// Its lane has room.
        case hasRoom(Int, lease: Milliseconds)
        /// The time that it says of itself.
        case said(Int, Milliseconds)
        /// - Parameters:
        ///   - tries: of this try.
        ///   - isSpoken: it took a telephone line.
        case ended(Int, SOSCallResult, tries: Int, isSpoken: Bool)
        /// A control room's own side said that it has it.
        case arrivedAtRoom(SOSCall.Message)
        /// The recipient of a test says that it arrived.
        case confirmed(by: SOSHelper)
        case confirmedByAccount(AccountID)
    }

    /// Of the person's box.
    package enum Box: Sendable, Hashable {
        /// The box's calls by its own means.
        /// - Parameters:
        ///   - told: numbers that it texted or called.
        ///   - yesAt: when whoever has the case answered it last, by their number; on the hub's clock.
        case tried([SOSBoxTry], told: [String], yes: Yes?)
        /// Of whom it may be, beside the person.
        case others([PersonID])
        /// It names this owner; nil for nobody.
        case named(Owner?)
        /// It says that the case is open: what was held goes on.
        case spoke
        /// An alarm of its own that counts as this case.
        case joined(SOSCase.Joined)

        package struct Yes: Sendable, Hashable {
            package let owner: Owner
            package let at: Milliseconds
            package init(owner: Owner, at: Milliseconds) { (self.owner, self.at) = (owner, at) }
        }
    }

    /// Of the hub itself, its clock and what it reads.
    package enum Hub: Sendable, Hashable {
        /// Time has passed.
        case tick
        /// Before it is read whom else to tell: crews hear of it.
        case began(isConsented: Bool)
        /// The plan of whom to tell was read.
        case planned(SOSPlan)
        /// A test of the way.
        case tested(SOSPlan)
        /// It is looked for crews.
        case searches(isConsented: Bool)
        /// The owner is due to be asked, or has not answered.
        /// - Parameter crew: where it is, of a crew.
        case ownerDue(crew: CrewSight?)
        case notifies
        /// The hub did not listen for so long, and its clock was set on by so much of that.
        case missed(Milliseconds, stepped: Milliseconds)
        /// It starts again.
        case restarted
        /// Nobody looked at the case for long: its boxes are waited for.
        case held(until: Milliseconds)
        case holdIsOver
        /// It is of another day: nobody is called.
        case forgot
        /// Where the person is. Metres from the place that the case had, and from the one that rooms know; nil where there is none.
        case moved(LastPosition, metres: Double?, metresTold: Double?, roomsWithoutNews: Set<String>)
        /// The stored positions of the person have been looked at.
        case lookedForPlace
        /// Where the person lives was set.
        case homeSet
        /// One of several who may be meant says that they are OK.
        case saidOK(PersonID)
    }
}

/// Where a crew that has a case was seen last.
package struct CrewSight: Sendable, Hashable {
    package let at: Milliseconds
    package let place: CrewPlace
    /// Metres from there to the person, or to where they live; nil where neither is known.
    package let metres: Int?
    /// The same from ``SOSCrew/place``.
    package let metresBefore: Int?
    /// By how many metres the person's own place may be wrong; nil when unknown.
    package let personAccuracy: Int?

    package init(at: Milliseconds, place: CrewPlace, metres: Int?, metresBefore: Int?, personAccuracy: Int?) {
        (self.at, self.place, self.metres, self.metresBefore) = (at, place, metres, metresBefore)
        self.personAccuracy = personAccuracy
    }
}

/// The outcome of one attempt to send a message.
package enum SOSCallResult: Sendable, Hashable {
    case left(proof: String)
    case failed(why: String, Retry)

    package enum Retry: Sendable, Hashable {
        case again
        /// It may have left: a few more tries are enough.
        case mayHaveLeft
        /// Trying again does not help.
        case never
    }
}

/// Crews that were found for a case, and rooms for where there are too few.
package struct SOSSearchResult: Sendable, Hashable {
    /// As they were free when the search began. Another case, or another search for this one, may have been quicker.
    package var crews: [FoundCrew]
    /// Distances are those to where the person lives.
    package var isToHome: Bool
    /// The account whose page is open.
    package var watched: Set<AccountID>
    /// How long pages wait for their turn at most, milliseconds.
    package var turnMax: Milliseconds
    package var rooms: [String]
    /// A secret for each of ``rooms``.
    package var links: [String: String]

    package init(
        crews: [FoundCrew], isToHome: Bool = false, watched: Set<AccountID> = [], turnMax: Milliseconds = 0, rooms: [String] = [],
        links: [String: String] = [:]
    ) {
        (self.crews, self.isToHome, self.watched) = (crews, isToHome, watched)
        (self.turnMax, self.rooms, self.links) = (turnMax, rooms, links)
    }
}
