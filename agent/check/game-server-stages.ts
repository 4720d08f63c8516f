import { connect } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { limits } from '../../contract/limits.ts'
import { hostFiles } from '../durable-files/host-files.ts'
import { causeOf, codeOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import type { Problem } from '../language/problem.ts'
import { say } from '../language/say.ts'
import { secureContextFor } from '../platform/undici-connection.ts'
import { assertNoLinks, spoolReasons } from '../spool/spool-dirs.ts'
import { right, unknown, type Verdict, wrong } from './check.ts'
import { type DirFacts, errorOf, judgeMissing, probeDir, tryToMakeIn, wrongBy } from './dir-facts.ts'

/** What was found of the directories for events and replies. */
export interface EventDirFacts {
  readonly root: DirFacts
  readonly dirs: readonly { readonly path: string; readonly facts: DirFacts; readonly error: Error | undefined }[]
  /** What is wrong with the rights of the group. */
  readonly rights: readonly Problem[]
}

/** Tries to write in `events/` and `replies/`, with hidden names. Missing directories are not made. */
export function probeEventDirs(spoolDir: string): EventDirFacts {
  const root = probeDir(spoolDir)
  if (root.at !== 'there') return { root, dirs: [], rights: [] }
  const [events, replies] = [join(spoolDir, 'events'), join(spoolDir, 'replies')]
  const dirs = [events, replies].map((path) => {
    const facts = probeDir(path)
    const error = errorOf(() => {
      assertNoLinks(hostFiles, [path])
      if (facts.at === 'there') tryToMakeIn(path)
    })
    return { path, facts, error }
  })
  return { root, dirs, rights: spoolReasons(hostFiles, { root: spoolDir, outbox: replies, inbox: events }, false) }
}

/** What the game server needs to take orders by file. */
export function judgeEventDirs({ root, dirs, rights: [firstRight] }: EventDirFacts): Verdict {
  if (root.at === 'missing') return unknown(say`the spool does not exist yet`)
  if (root.at === 'unusable') return unknown(say`the spool cannot be used`)
  for (const { path, facts, error } of dirs) {
    if (error) return wrongBy(path, error)
    if (facts.at === 'unusable') return wrongBy(path, facts.error)
    if (facts.at === 'missing' && facts.error) return judgeMissing(path, facts)
  }
  if (firstRight) return wrong(firstRight.problem, firstRight.cure)
  const missing = dirs.filter(({ facts }) => facts.at === 'missing').map(({ path }) => path)
  return right(
    missing.length > 0
      ? say`${missing.join(' and ')} do not exist yet; the first start makes them`
      : say`files can be written in ${dirs.map(({ path }) => path).join(' and ')}`,
  )
}

/** How far a connection to the game server came. */
export type ForwardFacts =
  | { readonly at: 'connected' }
  /** `step` is what failed: no TCP connection, or no TLS over it. */
  | { readonly at: 'failed'; readonly step: 'tcp' | 'tls'; readonly error: Error }

/** Connects to the forward URL as a push does and sends nothing. */
export function probeForwardUrl(url: string, extraCa: string | undefined): Promise<ForwardFacts> {
  const { origin, protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return new Promise((resolve) => {
    let step: 'tcp' | 'tls' = 'tcp'
    const socket = connect(Number(port || (protocol === 'https:' ? 443 : 80)), host)
    const finish = (facts: ForwardFacts) => {
      resolve(facts)
      socket.destroy()
    }
    const fail = (error: Error) => finish({ at: 'failed', step, error })
    socket.setTimeout(limits.webhookTimeoutMs, () => fail(new Error(say`no answer within 10 s`)))
    socket.on('error', fail)
    socket.on('connect', () => {
      const secureContext = secureContextFor(origin, extraCa)
      if (!secureContext) return finish({ at: 'connected' })
      step = 'tls'
      connectTls({ socket, secureContext, host }, () => finish({ at: 'connected' })).on('error', fail)
    })
  })
}

/**
 * A game server that is not running gets no orders, so this is wrong and not a warning: they wait until it is mended.
 */
export function judgeForwardUrl(url: string, facts: ForwardFacts): Verdict {
  const { host, protocol } = new URL(url)
  if (facts.at === 'connected')
    return right(
      protocol === 'http:'
        ? say`the game server at ${host} accepts connections`
        : say`the certificate of ${host} is trusted`,
    )
  const cause = causeOf(facts.error)
  if (facts.step === 'tls')
    return wrong(say`no encrypted connection to ${host} (${cause})`, cures.correctGameServerTls())
  return codeOf(facts.error) === 'ECONNREFUSED'
    ? wrong(say`nothing listens at ${host}, so orders wait`, cures.startGameServer())
    : wrong(say`no connection to ${host} (${cause}), so orders wait`, cures.startGameServer())
}
