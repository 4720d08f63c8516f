import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'

/** What a person needs to know. Both texts are without a full stop. */
interface Texts {
  readonly problem: string
  readonly cure: string
}

/**
 * Everything that can be wrong on the way to the platform, a row each. `why` is the code of an error, `words` are the
 * platform's own.
 */
export const problemTable = {
  /** DNS gives no address. */
  name: (hostname: string, why: string) => ({
    problem: say`the name ${hostname} cannot be resolved (${why})`,
    cure: cures.checkName(hostname),
  }),
  /** No connection was made. */
  tcp: (host: string, why: string) => ({
    problem: say`no connection to ${host} (${why})`,
    cure: cures.checkAddress(),
  }),
  /** The proxy itself is not there. */
  proxy: (host: string, proxy: string, why: string) => ({
    problem: say`the proxy ${proxy} cannot be reached (${why})`,
    cure: cures.startProxy(host),
  }),
  /** The proxy opens no tunnel. */
  connect: (host: string, proxy: string, status: number) => ({
    problem: say`the proxy ${proxy} refuses a connection to ${host} (CONNECT, HTTP ${status})`,
    cure: status === 407 ? cures.loginToProxy(proxy) : cures.allowInProxy(host),
  }),
  'tls-issuer': (host: string, issuer: string, why: string) => ({
    problem: say`the certificate of ${host} has an issuer that this host does not trust: ${issuer} (${why})`,
    cure: cures.trustIssuer(),
  }),
  'tls-name': (host: string, names: string, why: string) => ({
    problem: say`the certificate of ${host} is for another name: ${names} (${why})`,
    cure: cures.useNameOfCertificate(),
  }),
  'tls-expired': (host: string, validity: string, why: string) => ({
    problem: say`the certificate of ${host} is valid ${validity} (${why})`,
    cure: cures.renewCertificate(),
  }),
  tls: (host: string, why: string) => ({
    problem: say`no encrypted connection to ${host} (${why})`,
    cure: cures.allowTls(),
  }),
  /** The connection was there, and no whole answer came. */
  'no-answer': (host: string, why: string) => ({
    problem: say`${host} took the connection and gave no whole answer (${why})`,
    cure: cures.waitForPlatform(),
  }),
  /** Something answers, in another form than the contract's. */
  http: (host: string, what: string) => ({
    problem: say`the answer of ${host} is not in the platform's form (${what})`,
    cure: cures.checkWhoAnswers(),
  }),
  'server-error': (host: string, status: number, words: string) => ({
    problem: say`${host} has an error of its own (HTTP ${status}${words})`,
    cure: cures.askPlatform(),
  }),
  path: (baseUrl: string) => ({
    problem: say`the platform answers HTTP 404, so ${baseUrl}/v1 may be the wrong address`,
    cure: cures.checkPath(),
  }),
  /** The clock is off, and calls go through because the agent corrects it. */
  'clock-corrected': (seconds: number, direction: 'ahead' | 'behind') => ({
    problem:
      direction === 'ahead'
        ? say`the clock of this host is ${seconds} s ahead of the platform's; the agent corrects it in what it signs`
        : say`the clock of this host is ${seconds} s behind the platform's; the agent corrects it in what it signs`,
    cure: cures.setClock(),
  }),
  clock: (problem: string, words: string) => ({
    problem: say`the platform refuses the call (HTTP 401${words}), and ${problem}`,
    cure: cures.setClockOrKey(),
  }),
  /** 401, and the clock is right. */
  credentials: (kid: string, fingerprint: string, words: string) => ({
    problem: say`the platform refuses the API key or the signature, and the clock is right (HTTP 401${words})`,
    cure: cures.checkCredentials(kid, fingerprint),
  }),
} satisfies Record<string, (...facts: never[]) => Texts>

/** What is wrong on the way to the platform, and what a person can do about it. */
export interface PlatformProblem extends Texts {
  readonly kind: keyof typeof problemTable
}
