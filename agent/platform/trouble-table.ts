/** What a person needs to know. Both texts are without a full stop. */
interface Texts {
  readonly message: string
  readonly cure: string
}

const clockCure = 'set the clock, and keep it right: timedatectl set-ntp true, on Windows w32tm /resync'
const baseUrlCure = 'check host and port in SERVICE_BASE_URL'

/**
 * Everything that can be wrong on the way to the platform, a row each. `why` is the code of an error, `words` are the
 * platform's own.
 */
export const troubleTable = {
  /** DNS gives no address. */
  name: (hostname: string, why: string) => ({
    message: `the name ${hostname} cannot be resolved (${why})`,
    cure: `check SERVICE_BASE_URL and the DNS of this host, for example with: nslookup ${hostname}`,
  }),
  /** No connection was made. */
  tcp: (host: string, why: string) => ({
    message: `no connection to ${host} (${why})`,
    cure: `${baseUrlCure}, and that a firewall lets this host out; if it needs a proxy, set HTTPS_PROXY`,
  }),
  /** The proxy itself is not there. */
  proxy: (host: string, proxy: string, why: string) => ({
    message: `the proxy ${proxy} cannot be reached (${why})`,
    cure: `start the proxy, or check HTTPS_PROXY; with NO_PROXY=${host} the agent goes around it`,
  }),
  /** The proxy opens no tunnel. */
  connect: (host: string, proxy: string, status: number) => ({
    message: `the proxy ${proxy} refuses a connection to ${host} (CONNECT, HTTP ${status})`,
    cure:
      status === 407
        ? `put user and password into HTTPS_PROXY: http://USER:PASSWORD@${proxy}`
        : `allow ${host} in the proxy, or check HTTPS_PROXY; with NO_PROXY=${host} the agent goes around it`,
  }),
  'tls-issuer': (host: string, issuer: string, why: string) => ({
    message: `the certificate of ${host} has an issuer that this host does not trust: ${issuer} (${why})`,
    cure: "if you expect this issuer, for example your company's proxy, name a file with its certificate (PEM) in SERVICE_CA_FILE; if not, another program answers in place of the platform",
  }),
  'tls-name': (host: string, names: string, why: string) => ({
    message: `the certificate of ${host} is for another name: ${names} (${why})`,
    cure: 'set SERVICE_BASE_URL to the name that is in the certificate of the platform',
  }),
  'tls-expired': (host: string, validity: string, why: string) => ({
    message: `the certificate of ${host} is valid ${validity} (${why})`,
    cure: "check the date of this host; if it is right, the platform's staff must renew the certificate",
  }),
  tls: (host: string, why: string) => ({
    message: `no encrypted connection to ${host} (${why})`,
    cure: 'check the port in SERVICE_BASE_URL, and that no firewall cuts TLS off; the agent wants TLS 1.2 or newer',
  }),
  /** The connection was there, and no whole answer came. */
  'no-answer': (host: string, why: string) => ({
    message: `${host} took the connection and gave no whole answer (${why})`,
    cure: "the next call tries again; if it lasts, ask the platform's staff",
  }),
  /** Something answers, in another form than the contract's. */
  http: (host: string, what: string) => ({
    message: `the answer of ${host} is not in the platform's form (${what})`,
    cure: `${baseUrlCure}, and that no proxy or firewall answers in place of the platform`,
  }),
  'server-error': (host: string, status: number, words: string) => ({
    message: `${host} has an error of its own (HTTP ${status}${words})`,
    cure: "nothing is wrong on this host; if it lasts, ask the platform's staff",
  }),
  path: (baseUrl: string) => ({
    message: `the platform answers HTTP 404, so ${baseUrl}/v1 may be the wrong address`,
    cure: "set SERVICE_BASE_URL as the platform's staff wrote it, with each part of its path",
  }),
  /** The clock is off, and calls go through because the agent corrects it. */
  'clock-corrected': (seconds: number, direction: 'ahead of' | 'behind') => ({
    message: `the clock of this host is ${seconds} s ${direction} the platform's; the agent corrects it in what it signs`,
    cure: clockCure,
  }),
  clock: (problem: string, words: string) => ({
    message: `the platform refuses the call (HTTP 401${words}), and ${problem}`,
    cure: `${clockCure}; if the clock is right, check SERVICE_API_KEY and SERVICE_SIGNING_KID`,
  }),
  /** 401, and the clock is right. */
  credentials: (kid: string, fingerprint: string, words: string) => ({
    message: `the platform refuses the API key or the signature, and the clock is right (HTTP 401${words})`,
    cure: `check SERVICE_API_KEY, and that the platform's staff registered the key ${kid} with the fingerprint ${fingerprint}`,
  }),
} satisfies Record<string, (...facts: never[]) => Texts>

/** What is wrong on the way to the platform, and what a person can do about it. */
export interface Trouble extends Texts {
  readonly kind: keyof typeof troubleTable
}
