import type { X509Certificate } from 'node:crypto'
import { say } from '../language/say.ts'
import { ProxyError } from './connection.ts'
import { type PlatformProblem, problemTable } from './problem-table.ts'

/** The way to the platform. */
export interface PlatformRoute {
  /** Without a trailing slash or `/v1`. */
  readonly baseUrl: string
  readonly proxy: URL | undefined
}

/** Why an attempt got no answer. */
export interface AttemptFailure {
  /** Bytes of the request may have left. */
  readonly wasSent: boolean
  /** The error of Node or undici. A TLS error has the `certificate` that the server showed. */
  readonly cause: Error
}

/** What is wrong where there is no answer. Pure. */
export function problemOfFailure(
  { wasSent, cause }: AttemptFailure,
  { baseUrl, proxy }: PlatformRoute,
): PlatformProblem {
  const { host, hostname } = new URL(baseUrl)
  const why = whyOf(cause)
  if (cause instanceof ProxyError) return problemOfProxy(cause, host, proxy?.host ?? '')
  if (cause.name === 'HTTPParserError') return { kind: 'http', ...problemTable.http(host, say`no HTTP`) }
  if (wasSent) return { kind: 'no-answer', ...problemTable['no-answer'](host, why) }
  const tls = problemOfTls(cause, host)
  if (tls) return tls
  if (/^(?:ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL)$/.test(why))
    return { kind: 'name', ...problemTable.name(hostname, why) }
  return { kind: 'tcp', ...problemTable.tcp(host, why) }
}

function problemOfProxy({ status, cause, message }: ProxyError, host: string, proxy: string): PlatformProblem {
  if (status !== undefined) return { kind: 'connect', ...problemTable.connect(host, proxy, status) }
  const why = cause instanceof Error ? whyOf(cause) : message
  return { kind: 'proxy', ...problemTable.proxy(host, proxy, why) }
}

const issuerCodes: ReadonlySet<string> = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
  'INVALID_CA',
])
const otherTlsCodes = /^(?:EPROTO|ERR_SSL_|ERR_TLS_|CERT_|CRL_|INVALID_PURPOSE|PATH_LENGTH)|_(?:CERT|CRL)_/

function problemOfTls(cause: Error, host: string): PlatformProblem | undefined {
  const { code = '', certificate, reason } = cause as TlsError
  const chain = chainOf(certificate)
  if (issuerCodes.has(code)) {
    const issuer = oneLine(chain.at(-1)?.issuer)
    return { kind: 'tls-issuer', ...problemTable['tls-issuer'](host, issuer, code) }
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = oneLine(certificate?.subjectAltName ?? certificate?.subject)
    return { kind: 'tls-name', ...problemTable['tls-name'](host, names, code) }
  }
  if (code === 'CERT_HAS_EXPIRED') {
    const validTo = chain.map(({ validToDate }) => validToDate.toISOString()).sort()[0]
    return { kind: 'tls-expired', ...problemTable['tls-expired'](host, say`until ${validTo}`, code) }
  }
  if (code === 'CERT_NOT_YET_VALID') {
    const validFrom = chain.map(({ validFromDate }) => validFromDate.toISOString()).sort()
    return { kind: 'tls-expired', ...problemTable['tls-expired'](host, say`only from ${validFrom.at(-1)}`, code) }
  }
  if (!otherTlsCodes.test(code) && !cause.message.includes('before secure TLS connection')) return undefined
  return { kind: 'tls', ...problemTable.tls(host, reason === undefined ? code : `${code}: ${reason}`) }
}

interface TlsError extends NodeJS.ErrnoException {
  readonly certificate?: X509Certificate
  readonly reason?: string
}

/** The certificate and its issuers, as far as the server sent them. */
function chainOf(certificate: X509Certificate | undefined): X509Certificate[] {
  const chain: X509Certificate[] = []
  for (let next = certificate; next && chain.length < 10; next = next.issuerCertificate) chain.push(next)
  return chain
}

/** A name of a certificate. The server chose it. */
function oneLine(name: string | undefined): string {
  return (name ?? say`no name`).replace(/\p{Cc}+/gu, ', ').slice(0, 200)
}

/** The code of an error. The texts of Node give advice about Node. */
function whyOf(cause: Error): string {
  return (cause as NodeJS.ErrnoException).code ?? cause.message
}
