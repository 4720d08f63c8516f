/** The language of a page, as `<html lang>` and `Intl` name it. */
export type Lang = 'en' | 'pt-BR'

/** The type of the catalogue of each language. */
export type Texts = typeof en

/**
 * The English texts of the developer's pages. How a page gets and uses them:
 *
 * - A page finds its texts in `parts.t`: `t.clock.explanation`. A function without `parts` takes `t` as its first parameter.
 * - One section for each page, in the order of the page. A text that several pages show is in `common`.
 * - A text with a value is a function: `` attempts: (count: string) => `${count} attempts` ``. A text with markup is `html`.
 *   A text is a whole sentence, never half of one: the other language has another order.
 * - `pt.ts` has the type of this object, so a missing text is a type error. Add each text to both.
 * - A number is written by `count.toLocaleString(t.lang)`, money and moments by `formats.ts` with `t.lang`.
 * - Names of states, operations, events and fields are the same in both languages and stay in the code of the page.
 */
export const en = {
  lang: 'en' as Lang,
  /** The link to the other language, in that language. */
  otherLanguage: { lang: 'pt-BR' as Lang, name: 'Português' },

  common: {
    copy: 'Copy',
    copied: 'Copied',
  },

  menu: {
    '/console': 'Overview',
    '/console/transactions': 'Transactions',
    '/console/listings': 'Listings',
    '/console/webhooks': 'Webhooks',
    '/console/requests': 'Requests',
    '/console/game-servers': 'Game servers',
    '/console/faults': 'Faults',
    '/docs': 'API reference',
    '/openapi.json': 'OpenAPI',
  },

  layout: {
    skip: 'Skip to content',
    menu: 'Console',
    updates: 'Updates',
    live: 'live',
    lost: 'reconnecting…',
    notLive: 'not live',
    noScript:
      'The console acts through the control routes and needs JavaScript for that. Without it you can read, and reload.',
    close: 'Close',
    noAnswer: 'The stub did not answer. Is it still running?',
    notFound: 'Page not found',
    doesNotExist: 'This does not exist',
    allThatThereAre: 'All that there are',
  },

  /** Below a list, by its parameter. */
  list: {
    pages: 'Pages',
    before: { first: 'Newest', next: 'Older' },
    after: { first: 'First', next: 'More' },
  },

  attempt: {
    noAnswer: 'no answer',
    noObservation: 'no observedQuantity in the answer: the stock stays as it was',
    fault: (kind: string) => `fault: ${kind}`,
  },

  clock: {
    name: 'Clock of the stub',
    travelling: (distance: string) => `travelling ${distance}`,
    explanation: 'Everything that becomes due on the way is done in order, each at its own time.',
    jumps: { 60: '+1 min', 900: '+15 min', 3600: '+1 h', 86400: '+1 day' },
    travel: 'Travel',
    moment: 'To a moment, UTC',
    momentForm: 'ISO-8601 in UTC, as 2026-12-31T23:59:00Z',
    isReal: 'The stub uses this machine’s clock.',
    back: 'Back to the real time',
  },
}
