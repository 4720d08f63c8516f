import { say } from '../language/say.ts'

/** What a person needs to know. Both texts are without a full stop. */
interface Texts {
  readonly message: string
  readonly cure: string
}

const clockCure = () => say`set the clock, and keep it right: timedatectl set-ntp true, on Windows w32tm /resync`
const baseUrlCure = () => say`check host and port in SERVICE_BASE_URL`

/**
 * Everything that can be wrong on the way to the platform, a row each. `why` is the code of an error, `words` are the
 * platform's own.
 */
export const troubleTable = {
  /** DNS gives no address. */
  name: (hostname: string, why: string) => ({
    message: say`the name ${hostname} cannot be resolved (${why})`,
    cure: say`check SERVICE_BASE_URL and the DNS of this host, for example with: nslookup ${hostname}`,
  }),
  /** No connection was made. */
  tcp: (host: string, why: string) => ({
    message: say`no connection to ${host} (${why})`,
    cure: say`${baseUrlCure()}, and that a firewall lets this host out; if it needs a proxy, set HTTPS_PROXY`,
  }),
  /** The proxy itself is not there. */
  proxy: (host: string, proxy: string, why: string) => ({
    message: say`the proxy ${proxy} cannot be reached (${why})`,
    cure: say`start the proxy, or check HTTPS_PROXY; with NO_PROXY=${host} the agent goes around it`,
  }),
  /** The proxy opens no tunnel. */
  connect: (host: string, proxy: string, status: number) => ({
    message: say`the proxy ${proxy} refuses a connection to ${host} (CONNECT, HTTP ${status})`,
    cure:
      status === 407
        ? say`put user and password into HTTPS_PROXY: http://USER:PASSWORD@${proxy}`
        : say`allow ${host} in the proxy, or check HTTPS_PROXY; with NO_PROXY=${host} the agent goes around it`,
  }),
  'tls-issuer': (host: string, issuer: string, why: string) => ({
    message: say`the certificate of ${host} has an issuer that this host does not trust: ${issuer} (${why})`,
    cure: say`if you expect this issuer, for example your company's proxy, name a file with its certificate (PEM) in SERVICE_CA_FILE; if not, another program answers in place of the platform`,
  }),
  'tls-name': (host: string, names: string, why: string) => ({
    message: say`the certificate of ${host} is for another name: ${names} (${why})`,
    cure: say`set SERVICE_BASE_URL to the name that is in the certificate of the platform`,
  }),
  'tls-expired': (host: string, validity: string, why: string) => ({
    message: say`the certificate of ${host} is valid ${validity} (${why})`,
    cure: say`check the date of this host; if it is right, the platform's staff must renew the certificate`,
  }),
  tls: (host: string, why: string) => ({
    message: say`no encrypted connection to ${host} (${why})`,
    cure: say`check the port in SERVICE_BASE_URL, and that no firewall cuts TLS off; the agent wants TLS 1.2 or newer`,
  }),
  /** The connection was there, and no whole answer came. */
  'no-answer': (host: string, why: string) => ({
    message: say`${host} took the connection and gave no whole answer (${why})`,
    cure: say`the next call tries again; if it lasts, ask the platform's staff`,
  }),
  /** Something answers, in another form than the contract's. */
  http: (host: string, what: string) => ({
    message: say`the answer of ${host} is not in the platform's form (${what})`,
    cure: say`${baseUrlCure()}, and that no proxy or firewall answers in place of the platform`,
  }),
  'server-error': (host: string, status: number, words: string) => ({
    message: say`${host} has an error of its own (HTTP ${status}${words})`,
    cure: say`nothing is wrong on this host; if it lasts, ask the platform's staff`,
  }),
  path: (baseUrl: string) => ({
    message: say`the platform answers HTTP 404, so ${baseUrl}/v1 may be the wrong address`,
    cure: say`set SERVICE_BASE_URL as the platform's staff wrote it, with each part of its path`,
  }),
  /** The clock is off, and calls go through because the agent corrects it. */
  'clock-corrected': (seconds: number, direction: 'ahead' | 'behind') => ({
    message:
      direction === 'ahead'
        ? say`the clock of this host is ${seconds} s ahead of the platform's; the agent corrects it in what it signs`
        : say`the clock of this host is ${seconds} s behind the platform's; the agent corrects it in what it signs`,
    cure: clockCure(),
  }),
  clock: (problem: string, words: string) => ({
    message: say`the platform refuses the call (HTTP 401${words}), and ${problem}`,
    cure: say`${clockCure()}; if the clock is right, check SERVICE_API_KEY and SERVICE_SIGNING_KID`,
  }),
  /** 401, and the clock is right. */
  credentials: (kid: string, fingerprint: string, words: string) => ({
    message: say`the platform refuses the API key or the signature, and the clock is right (HTTP 401${words})`,
    cure: say`check SERVICE_API_KEY, and that the platform's staff registered the key ${kid} with the fingerprint ${fingerprint}`,
  }),
} satisfies Record<string, (...facts: never[]) => Texts>

/** What is wrong on the way to the platform, and what a person can do about it. */
export interface Trouble extends Texts {
  readonly kind: keyof typeof troubleTable
}
