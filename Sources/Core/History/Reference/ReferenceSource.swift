/// The publications that the reference ranges come from. The raw value is stable: texts of pages use it as `reference.NAME`.
public enum ReferenceSource: String, Sendable, Hashable, CaseIterable {
    case mason2007, fleming2011, nunan2010, escESH2018, bts2017, geneva2019, who2000, paluch2022, tudorLocke2011, hirshkowitz2015

    /// Authors, title, journal, year.
    public var citation: String {
        switch self {
        case .mason2007:
            "Mason JW et al. Electrocardiographic reference ranges derived from 79,743 ambulatory subjects. "
                + "J Electrocardiol 40:228-234, 2007"
        case .fleming2011:
            "Fleming S et al. Normal ranges of heart rate and respiratory rate in children from birth to 18 years of age. "
                + "Lancet 377:1011-1018, 2011"
        case .nunan2010:
            "Nunan D, Sandercock GR, Brodie DA. A quantitative systematic review of normal values for short-term heart rate variability "
                + "in healthy adults. Pacing Clin Electrophysiol 33:1407-1417, 2010"
        case .escESH2018:
            "Williams B, Mancia G et al. 2018 ESC/ESH guidelines for the management of arterial hypertension. "
                + "Eur Heart J 39:3021-3104, 2018"
        case .bts2017:
            "O'Driscoll BR et al. BTS guideline for oxygen use in adults in healthcare and emergency settings. "
                + "Thorax 72 (Suppl 1):ii1-ii90, 2017"
        case .geneva2019:
            "Geneva II et al. Normal body temperature: a systematic review. Open Forum Infect Dis 6(4):ofz032, 2019"
        case .who2000:
            "World Health Organization. Obesity: preventing and managing the global epidemic. Technical Report Series 894, Geneva, 2000"
        case .paluch2022:
            "Paluch AE et al. Daily steps and all-cause mortality: a meta-analysis of 15 international cohorts. "
                + "Lancet Public Health 7:e219-e228, 2022"
        case .tudorLocke2011:
            "Tudor-Locke C et al. How many steps/day are enough? For children and adolescents. Int J Behav Nutr Phys Act 8:78, 2011"
        case .hirshkowitz2015:
            "Hirshkowitz M et al. National Sleep Foundation's sleep time duration recommendations. Sleep Health 1:40-43, 2015"
        }
    }

    /// The text that says it on a page.
    public var key: String { "reference.\(rawValue)" }
}
