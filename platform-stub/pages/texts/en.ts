import { html } from 'hono/html'
import type { Html, Lang } from '../document.ts'
import * as guide from './en-first-sale.ts'
import * as market from './en-market.ts'
import * as traffic from './en-traffic.ts'

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
  ...guide,
  ...market,
  ...traffic,
  lang: 'en' as Lang,
  /** The link to the other language, in that language. */
  otherLanguage: { lang: 'pt-BR' as Lang, name: 'Português' },

  common: {
    search: 'Search',
    copy: 'Copy',
    copied: 'Copied',
    /** The browser has no clipboard on a page that is neither https nor of this machine. */
    selected: 'Selected: press Ctrl+C',
    copyNamed: (name: string) => `Copy: ${name}`,
    no: 'No.',
    number: (id: number | string) => `no. ${id}`,
    all: 'all',
  },

  menu: {
    '/console/overview': 'Overview',
    '/console/first-sale': 'First sale',
    '/console/transactions': 'Transactions',
    '/console/listings': 'Listings',
    '/console/webhooks': 'Webhooks',
    '/console/requests': 'Requests',
    '/console/game-servers': 'Game servers',
    '/console/faults': 'Faults',
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

  overview: {
    active: 'Active listings',
    pending: 'Webhooks pending',
    refused: 'Signatures refused',
    ofTheLast: (count: number) => `of the last ${count}`,
    states: 'States',
    aboutStates:
      'The stub works by these state machines. The numbers count transactions and listings; a state links to its transactions.',
    newest: 'Newest transactions',
    none: 'None yet.',
    waiting: 'What waits for your game server',
    nothingWaits: 'Nothing: every paid order was delivered or is over.',
    allThatWait: (count: string) => `All ${count}`,
    paid: (when: Html) => html`paid ${when}`,
    startOver: 'Start over',
    aboutReset: 'Deletes everything except game servers and their keys, and sets the clock to the real time.',
    reset: 'Reset',
    isSure: 'Delete everything except game servers and keys?',
  },

  gameServers: {
    none: 'No game server yet',
    registerAbove: 'Register the first one above.',
    registerOne: 'Register one',
    about: html`The stub issues the API key and makes the key pair, as the platform’s staff would. Then its <code>agent.env</code> can be downloaded.`,
    name: 'Name',
    laterWebhookUrl: 'Webhook URL (may come later)',
    register: 'Register',
    columns: { name: 'Name', webhooks: 'Webhooks go to', registered: 'Registered' },
    nowhere: 'nowhere: they wait',
  },

  gameServer: {
    title: (id: string) => `Game server ${id}`,
    registered: (when: Html) => html`registered ${when}`,
    agent: 'Its agent',
    files: 'Put the files into one folder and start the agent there.',
    ownKey: html`The game server made its key pair itself: put its private half there as <code>signing-key.pem</code>.`,
    inShell: 'Or, in a shell:',
    webhooks: 'Its webhooks',
    goTo: (url: Html) => html`They go to ${url}`,
    noAddress: 'No address yet: deliveries wait until there is one.',
    webhookUrl: 'Webhook URL',
    save: 'Save',
    letWait: 'Let them wait',
  },

  characters: {
    title: 'Its characters',
    character: 'Character',
    letSell: 'Let it sell',
    none: 'No character yet',
    comesWith: 'One appears when it is linked, or named above.',
    columns: { character: 'Character', maySell: 'May sell', flags: 'Flags' },
    yes: 'yes',
    flags: {
      account: 'account',
      linked: 'linked',
      recipientApproved: 'recipient approved',
      banned: 'banned',
      sellingBlocked: 'selling blocked',
    },
  },

  faults: {
    about:
      'A fault applies to the next matching requests or attempts, one each, and counts down. The fault that was set first applies first.',
    requests: 'Partner requests',
    webhooks: 'Webhooks',
    whatHappens: 'What happens',
    operation: 'Operation',
    event: 'Event',
    any: 'any',
    set: 'Set fault',
    clear: 'Clear all',
    areSet: 'Faults are set',
    none: 'None is set',
    allWorks: 'All requests and webhooks work as usual.',
    numbers: {
      status: 'Status',
      retryAfterSeconds: 'Retry-After, s',
      delayMs: 'Delay, ms',
      copies: 'Copies',
      times: 'Times',
    },
    /** What each kind of fault does. */
    ofRequests: {
      status: 'the request is answered with this status; nothing is done',
      delay: 'the request is processed later',
      'hang-up-before': 'the connection is closed; nothing is done',
      'hang-up-after': 'the request is done, then the connection is closed without an answer',
      truncate: 'the request is done; half of the answer is sent',
    },
    ofWebhooks: {
      duplicate: 'several copies are sent at once',
      reorder: 'a transfer_order is sent after its transaction_terminal',
      'wrong-kid': 'signed with an unknown kid',
      expired: 'signed with an exp in the past',
      'altered-body': 'the body differs from the signed one',
      delay: 'sent later',
      'drop-response': 'delivered, but the answer is lost',
    },
  },

  clock: {
    name: 'Clock of the stub',
    travelling: (distance: string) => `travelling ${distance}`,
    explanation: 'Everything that becomes due on the way is done in order, each at its own time.',
    jumps: { 60: '+1 min', 900: '+15 min', 3600: '+1 h', 86400: '+1 day' },
    travel: 'Travel',
    moment: 'To a moment, UTC',
    momentForm: 'ISO-8601 in UTC, as 2026-12-31T23:59:00Z',
    zone: 'Show times in',
    zones: { local: 'the time zone of this device', brasilia: 'the time of Brasília', utc: 'UTC' },
    isReal: 'The stub uses this machine’s clock.',
    back: 'Back to the real time',
  },
}
