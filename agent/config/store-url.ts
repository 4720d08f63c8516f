import { isIPv4 } from 'node:net'
import { say } from '../language/say.ts'

/** Where one server of the store listens. */
export interface StoreHost {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string
  readonly port: number
  /** Whether other hosts are on the way to it. Then TLS proves which server it is. */
  readonly isRemote: boolean
}

/** A store that several agents share, as an operator names it. */
export interface StoreUrl {
  /** In the order in which they are tried. */
  readonly hosts: readonly [StoreHost, ...StoreHost[]]
  readonly user: string
  readonly password: string | undefined
  readonly database: string
}

/** What was read, or what is wrong. The problem repeats no part of the text, because a password is in it. */
export type StoreUrlReading =
  | { readonly ok: true; readonly url: StoreUrl }
  | { readonly ok: false; readonly problem: string }

const portOfPostgres = 5432
const hostsMax = 16

/**
 * Reads `postgres://user:password@host1:5432,host2/database`, as PostgreSQL's own programs write it. The directory of a Unix
 * socket is a parameter: `postgres://user@/database?host=/run/postgresql`.
 *
 * By hand, because `URL` refuses several hosts, and `pg` reads one.
 */
export function readStoreUrl(text: string): StoreUrlReading {
  const scheme = ['postgres://', 'postgresql://'].find((start) => text.startsWith(start))
  if (scheme === undefined) return wrong(say`not an address that begins with postgres://`)
  const [authority, path, query, fragment] = splitRest(text.slice(scheme.length))
  if (fragment !== '') return wrong(say`has a fragment; write # as %23`)
  const hostsStart = authority.lastIndexOf('@') + 1
  const account = authority.slice(0, Math.max(0, hostsStart - 1))
  const userEnd = lengthUntil(account, ':')
  const names = [account.slice(0, userEnd), account.slice(userEnd + 1), path.slice(1)]
  const [user, password, database] = names.map(decode)
  if (user === undefined || password === undefined || database === undefined)
    return wrong(say`has a % that is not part of a %XX; write % as %25`)
  if (user === '') return wrong(say`names no user`)
  if (database === '') return wrong(say`names no database`)
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find((name) => name !== 'host' && name !== 'port')
  if (unknown !== undefined) return wrong(say`has a parameter other than host and port; TLS is not optional`)
  const hosts = readHosts(authority.slice(hostsStart), parameters)
  if (typeof hosts === 'string') return wrong(hosts)
  return { ok: true, url: { hosts, user, password: password === '' ? undefined : password, database } }
}

/** The address that a configuration has, which was read before. */
export function storeUrlOf(text: string): StoreUrl {
  const reading = readStoreUrl(text)
  if (!reading.ok) throw new Error('the configuration has an address that it did not read')
  return reading.url
}

function wrong(problem: string): StoreUrlReading {
  return { ok: false, problem }
}

/** Everything after the scheme: authority, path, query and fragment, each with the character that begins it. */
function splitRest(rest: string): readonly [string, string, string, string] {
  const fragmentStart = lengthUntil(rest, '#')
  const queryStart = Math.min(lengthUntil(rest, '?'), fragmentStart)
  const pathStart = Math.min(lengthUntil(rest, '/'), queryStart)
  return [
    rest.slice(0, pathStart),
    rest.slice(pathStart, queryStart),
    rest.slice(queryStart, fragmentStart),
    rest.slice(fragmentStart),
  ]
}

function lengthUntil(text: string, character: string): number {
  const index = text.indexOf(character)
  return index === -1 ? text.length : index
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** @returns What is wrong, in words, where it is not a list of hosts. */
function readHosts(text: string, parameters: URLSearchParams): StoreUrl['hosts'] | string {
  const directories = parameters.get('host')
  if (directories !== null && text !== '') return say`names hosts twice`
  const port = parameters.get('port')
  if (port !== null && directories === null) return say`has a port without a host; write host:port`
  const hosts: StoreHost[] = []
  for (const part of (directories ?? text).split(',')) {
    const host = directories === null ? readHost(part) : readDirectory(part, port)
    if (typeof host === 'string') return host
    hosts.push(host)
  }
  const [first, ...others] = hosts
  if (!first || hosts.length > hostsMax) return say`names more than ${hostsMax} hosts`
  return [first, ...others]
}

function readHost(text: string): StoreHost | string {
  const bracketEnd = text.startsWith('[') ? text.indexOf(']') : -1
  const nameEnd = text.indexOf(':', bracketEnd + 1)
  const name = nameEnd === -1 ? text : text.slice(0, nameEnd)
  const host = bracketEnd === -1 ? name : name.slice(1, -1)
  // `URL` knows which names a host may have.
  if (host === '' || URL.parse(`http://${name}/`)?.host === undefined)
    return say`names no host, or one that no host can have`
  const port = nameEnd === -1 ? portOfPostgres : readPort(text.slice(nameEnd + 1))
  return port === undefined
    ? say`has a port that is not a number from 1 to 65535`
    : { host, port, isRemote: isRemote(host) }
}

function readDirectory(path: string, portText: string | null): StoreHost | string {
  if (!path.startsWith('/')) return say`has a parameter host that is not the directory of a Unix socket`
  const port = portText === null ? portOfPostgres : readPort(portText)
  return port === undefined
    ? say`has a port that is not a number from 1 to 65535`
    : { host: path, port, isRemote: false }
}

function readPort(text: string): number | undefined {
  const port = Number(text)
  return /^[0-9]{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined
}

function isRemote(host: string): boolean {
  return !(host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.')))
}
