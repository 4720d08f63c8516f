import { html } from 'hono/html'
import type { Html } from '../document.ts'

// The English texts of requests and webhooks. `en.ts` says how texts are written.

export const requests = {
  about: (count: string) => `The last ${count} partner requests. They are lost when the stub ends.`,
  title: (id: string) => `Request ${id}`,
  searchFor: 'Path, body, kid or message',
  nothingFits: 'Nothing fits the search.',
  bodies: 'Bodies',
  sent: 'Sent',
  answered: 'Answered',
  noBody: 'No body.',
  headers: 'Headers',
  headersNotKept: 'Not kept: long headers are kept only with the newest hundred requests.',
  noCredentials: 'without credentials: an agent asks for the platform’s time like this',
  bodyNotKept: 'Not kept: long bodies are kept only with the newest hundred requests.',
  onItsPage: 'Long: shown on the page of the request.',
  path: 'Path',
  gameServer: 'Game server',
  transaction: 'Transaction',
  operation: 'Operation',
  show: 'Show',
  kinds: { all: 'all', refused: 'refused signatures', failed: 'not 200' },
  none: 'No request here',
  comesWith: 'Every call of a game server or game client appears here.',
  dropped: 'dropped',
  whyStep: (step: Html) => html`Why: step ${step}`,
  lookAt: 'What to look at',
  expected: 'Expected',
  received: 'Received',
  yourClock: 'Your clock',
  body: 'Body',
  bytes: (count: string) => `${count} bytes`,
  header: 'Your protected header, decoded',
  signingInput: 'The signing input that your signature has to be over',
  /** How a check ended, for screen readers. */
  checks: { passed: 'passed', failed: 'failed', 'not-reached': 'not reached' },
  clockUnknown: 'unknown: the envelope has no iat that could be read',
  clockAgrees: 'agrees with the platform’s',
  clockAhead: (distance: string) => html`<strong>${distance} ahead of</strong> the platform’s`,
  clockBehind: (distance: string) => html`<strong>${distance} behind</strong> the platform’s`,
}

/** Help for each check of a request's credentials that fails. */
export const stepHelp = {
  'api-key': 'Send X-Service-Api-Key once, with the key from agent.env. Signature-only routes take none.',
  'header-line': 'Send one X-Platform-Signature header. Proxies sometimes double or drop it.',
  segments:
    'The form is <protected>..<signature>. A library for compact JWS puts the payload between the dots: take it out.',
  encoding: 'Use base64url: - and _ in place of + and /, and no = at the end.',
  json: 'The protected segment has to decode to one JSON object in UTF-8, without a byte order mark and without a name twice.',
  'forbidden-parameter':
    'Leave out crit, b64 and every embedded or remote key. The payload stays base64url-encoded in the signing input.',
  algorithm: 'Sign with RS256 (RSASSA-PKCS1-v1_5 and SHA-256). PS256 and HS256 are refused.',
  kid: 'The kid must be the one that the game server was registered with. It is in agent.env.',
  expiry: 'Look at the clock difference below. exp is in seconds, not milliseconds, and at most 10 minutes ahead.',
  jti: 'Give every request a new jti, a string of 1 to 255 characters.',
  method: 'htm names another method than the request has. Sign for the method that you send.',
  url: 'htu names another path than the request has. Compare them letter by letter, without the query.',
  signature:
    'The header is sound, so either the bytes differ or the key does. Compare the body’s SHA-256 with that of what you signed: if they differ, the body was serialised again after signing. If they are equal, sign the signing input below and compare; if that is the same too, it is the wrong private key.',
  'api-key-owner': 'API key and kid belong to two game servers. Take both from the same agent.env.',
  replay: 'This envelope was used before. Sign again, with a new jti, at every attempt, retries included.',
}

/** What each check expects. Of `method` and `url` the page adds the value. */
export const stepExpected = {
  'api-key': 'one X-Service-Api-Key header with the key of a registered game server',
  'header-line': 'one X-Platform-Signature header, at most 4,096 bytes long',
  segments: '<protected>..<signature> with an empty middle segment',
  encoding: 'base64url without padding',
  json: 'a JSON object in UTF-8 without a name twice',
  'forbidden-parameter': 'none of crit, b64, jwk, jku, x5u, x5c, x5t, x5t#S256 and zip',
  algorithm: 'the alg RS256',
  kid: 'the kid of a registered key',
  expiry: 'an exp in Unix seconds that is after the platform’s time, by at most 10 minutes',
  jti: 'a jti of 1 to 255 characters',
  method: 'the htm of this request:',
  url: 'an htu with the path of this request:',
  signature: 'a signature by this kid over the received bytes',
  'api-key-owner': 'a kid of the game server that the API key belongs to',
  replay: 'a jti that was not used before',
}

/** What was received where a value would say nothing. */
export const stepReceived = {
  noLine: 'none',
  lines: (count: number) => `${count} of them`,
  unknownKey: 'a key that no game server has',
  longLine: 'a longer one',
  segments: 'another form',
  encoding: 'another encoding',
  'other-bytes': 'a signature by this kid over other bytes',
  'other-key': 'a signature by another private key, or a damaged one',
  'api-key-owner': 'a kid of another game server',
}

export const webhooks = {
  searchFor: 'Number, item or character',
  nothingFits: 'Nothing fits the search.',
  tests: 'test events',
  label: 'Webhook deliveries',
  byStateAndEvent: 'By state and event',
  states: { pending: 'pending', acknowledged: 'acknowledged', ended: 'ended' },
  none: 'No webhook here',
  comesWith: 'A transfer_order goes out as soon as a purchase is paid.',
  columns: {
    time: 'Time',
    event: 'Event',
    transaction: 'Transaction',
    state: 'State',
    attempts: 'Attempts',
    lastAnswer: 'Last answer',
    nextTry: 'Next try',
    act: 'Act',
  },
  isHeld: 'held back',
  resend: 'Resend',
}

export const webhook = {
  once: 'Sent once',
  address: 'Address',
  elsewhere: 'Send it somewhere else',
  aboutElsewhere:
    'It goes to this address once, signed again. The game server’s own address, the schedule and the stock stay as they are.',
  sendElsewhere: 'Send once',
  title: (id: string) => `Webhook ${id}`,
  transaction: (link: Html) => html`Transaction ${link}`,
  nextTry: (when: Html | string) => html`Next try ${when}`,
  payload: 'Payload',
  byteForByte: 'Byte for byte, as it is signed and sent',
  attempts: (count: number) => (count === 1 ? '1 attempt' : `${count.toLocaleString('en')} attempts`),
  notTried: 'Not tried yet',
  goesOut: 'It goes out when it is due.',
  noUrl: (gameServer: string) => html`The game server has no webhook URL: <a href="${gameServer}">set one</a>.`,
  attempt: (number: number) => `Attempt ${number}`,
  again: (length: string) => `again ${length} later`,
  signature: 'Signature, decoded',
  answer: 'Answer',
  noAnswer: 'None.',
  noBody: 'No body.',
  from: (url: Html) => html`From ${url}`,
  headers: 'All headers',
  sent: 'Sent',
  /** A time in the signature, next to the moment of the attempt. */
  whenSent: (at: Html) => html`${at}, when it was sent`,
  afterSent: (at: Html, length: string) => html`${at}, ${length} after it was sent`,
  beforeSent: (at: Html, length: string) => html`${at}, ${length} before it was sent`,
}

/** Webhooks without a sale. */
export const testEvents = {
  title: 'Test events',
  one: (id: string) => `Test event ${id}`,
  badge: 'test',
  sendOne: 'Send a test event',
  about: 'It is signed like a real one and sent once, without a sale. Empty fields have the values that they show.',
  event: 'Event',
  gameServer: 'Game server',
  transaction: 'Transaction of an earlier test',
  newOne: 'a new one',
  address: 'Address, once',
  ownAddress: 'the game server’s own',
  send: 'Send',
  sentTo: 'Sent to',
  none: 'No test event yet',
  comesWith: 'Send the first one above.',
}

/** An attempt to deliver a webhook. */
export const attempt = {
  noAnswer: 'no answer',
  remarks: {
    'not-taken': 'not taken yet by the game server',
    'no-stock': 'no observedQuantity in the answer: the stock stays as it was',
  },
  fault: (kind: string) => `fault: ${kind}`,
}
