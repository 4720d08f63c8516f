/**
 * How wrong an agent may be about the platform's clock, ms: it heard the platform in an attempt of up to 10 s, whose `Date`
 * is up to 1 s old and has whole seconds, and a clock drifts.
 */
export const platformTimeErrorMsMax = 14_000
