import HubServices
import HubStore
import Hummingbird

/// Those who look after others: relatives, hospitals and their crews.
struct CareFeature: Sendable {
    let core: HubCore
    let care: CareService
    let hospitals: HospitalService
    private let consents: ConsentService
    private let sos: SOSService

    init(_ core: HubCore, _ consents: ConsentService, _ sos: SOSFeature) {
        (self.core, self.consents, self.sos) = (core, consents, sos.sos)
        care = CareService(service: core.service, consents: consents, series: core.series.reader, bus: core.bus)
        hospitals = HospitalService(service: core.service, audit: core.audit, crews: sos.crews, dispatchTime: sos.sos.now)
    }

    /// - Parameter pushKey: of the hub, for browsers.
    func routes(_ pages: some RouterMethods<HubContext>, pushKey: String) {
        let (factors, templates, requests) = (core.factors, core.templates, core.requests)
        CarePages(
            care: care, consents: consents, factors: factors, templates: templates, enrolmentAddress: core.enrolmentAddress, now: core.now
        ).routes(pages)
        CareParentPages(
            accounts: core.accounts, care: care, factors: factors, templates: templates, requests: requests, now: core.now
        ).routes(pages)
        CareECGPages(care: care, ecg: core.ecg, templates: templates).routes(pages)
        CareOpenPages(care: care, factors: factors, templates: templates, requests: requests).routes(pages)
        CareInvitePages(care: care, consents: consents, factors: factors, templates: templates, requests: requests).routes(pages)
        HospitalPages(hospitals: hospitals, factors: factors, templates: templates, now: sos.now).routes(pages)
        CrewPages(hospitals: hospitals, templates: templates, requests: requests).routes(pages)
        DutyPages(
            hospitals: hospitals, pushes: core.accounts.pushes, templates: templates, pushKey: pushKey, url: core.url, now: sos.now
        ).routes(pages)
    }
}
