import type { Status } from '../../../agent/status/status.ts'
import { openOrdersIn } from '../agent/model-outside.ts'
import { ModelHost } from '../host.ts'
import type { NetworkAnswer } from '../network/message.ts'
import { type HostAddresses, installAgent, type ModelAgent } from './agent-program.ts'
import { promisesAbout } from './agent-promises.ts'
import { firstCallToken } from './call-door.ts'
import { isLost } from './earlier-orders.ts'
import type { GameWays } from './game/game-parts.ts'
import { gameDir } from './game/game-store.ts'
import type { AgentHostParts, Surroundings } from './host-parts.ts'
import type { Registration } from './model-platform.ts'
import { installOperator } from './operator.ts'
import { findChangedStrange, leaveStrangeFiles } from './strange-files.ts'

/** An agent on its host, and what the operator saw of it last. */
export interface AgentHost {
  readonly host: ModelHost
  readonly agent: ModelAgent
  readonly addresses: HostAddresses
  readonly callsBy: GameWays['callsBy']
  readonly ordersBy: GameWays['ordersBy']
  /** Others that share its store hand over what it wrote. */
  readonly hasOwnStore: boolean
  readonly isStandby: boolean
  /** How many orders are open that the platform does not know any more. */
  readonly lostOrders: () => number
  readonly seen: { readonly status: Status | undefined; readonly atMs: number }
  /** After the programs that it looks at. */
  readonly installOperator: () => void
  /** What must have happened by now, while nothing is broken. */
  readonly check: () => void
  /** Everything slept: what must happen in time has time again. */
  readonly onSlept: () => void
  /** What must be true when everything has ended. */
  readonly checkAtEnd: () => void
  /** Stops the agent cleanly, and starts it again. Its disk must be healthy. */
  readonly restart: () => void
  /** After the world. */
  readonly end: () => void
}

/** The clocks of many hosts are a little wrong. An agent corrects what is more than 2 s. */
const clockErrorMsMax = 1_500

/** A host with the directories of an agent and of a game server. */
export function newAgentHost(name: string, { scheduler, random, network }: Surroundings): ModelHost {
  const clockRandom = random.part(`${name} clock`)
  const clockWrongByMs = clockRandom.happens(0.5) ? clockRandom.between(-clockErrorMsMax, clockErrorMsMax) : 0
  const host = new ModelHost(name, scheduler, random, clockWrongByMs)
  const spool = ['outbox', 'inbox', 'events', 'replies'].map((dir) => `/var/spool/${dir}`)
  const dirs = ['/var', '/var/spool', ...spool, '/var/state', gameDir]
  for (const dir of dirs) host.disk.mkdir(dir, 0o755)
  for (const dir of ['/', ...dirs]) host.disk.sync(host.disk.getDir(dir, 'open'))
  // The requests in an outbox, and the answers in an inbox, are gone with their directory.
  host.removableDirs.push('/var/spool/events', '/var/spool/replies')
  network.finalAddresses.add(`${name}:8081`)
  network.nearAddresses.add(`${name}:8899`)
  return host
}

const usualDeadlines = { attemptTimeoutMs: 10_000, callDeadlineMs: 30_000 }
/** A call ends while the platform is started again. */
const shortDeadlines = { attemptTimeoutMs: 4_000, callDeadlineMs: 9_000 }

/** Installs an agent and its operator. */
export function assembleAgent(parts: AgentHostParts, surroundings: Surroundings): AgentHost {
  const { host, identity } = parts
  const { random, network, nowMs, platform, judge, day, registrations } = surroundings
  const { name } = host
  const addresses: HostAddresses = {
    call: { host: name, port: 8899 },
    webhook: { host: name, port: 8081 },
    orders: parts.orderDoor.address,
    spool: '/var/spool',
  }
  const hasStrangeFiles = random.part(`${name} strange files`).happens(0.5)
  if (hasStrangeFiles) leaveStrangeFiles(host.disk, addresses.spool)
  const registration = () => registrations.get(identity) as Registration
  const hasOwnStore = parts.store === undefined
  const deadlines = random.part(`${name} deadlines`).pick([usualDeadlines, shortDeadlines])
  const seen: { status: Status | undefined; atMs: number } = { status: undefined, atMs: 0 }
  const agentParts = { ...parts, ...surroundings, addresses, deadlines, registration }
  const promises = promisesAbout({
    ...agentParts,
    hasStrangeFiles,
    agent: () => agent,
    status: () => (agent.program.process && seen.atMs > agent.startedMs ? seen.status : undefined),
  })
  const agent: ModelAgent = installAgent({
    ...agentParts,
    witness: promises.witness,
    rotate(which) {
      if (which === 'forward token') {
        parts.orderDoor.token += '+'
        return
      }
      if (which === 'call token') {
        const { callAccess } = parts
        callAccess.token = callAccess.token === undefined ? firstCallToken : `${callAccess.token}+`
        return
      }
      const known = registration()
      const { gameServerId } = known
      const changed =
        which === 'signing key'
          ? { kid: platform.addKey(gameServerId) }
          : { apiKey: platform.replaceApiKey(gameServerId) }
      registrations.set(identity, { ...known, ...changed })
    },
    onMistakeTaken: () => judge.break('a configuration that is refused changes nothing', name),
    onBug: (error) => judge.break('an agent ends only for a reason that it can name', String((error as Error).stack)),
  })
  const onStatus = (status: Status) => Object.assign(seen, { status, atMs: nowMs() })
  const onPageAsked = (path: string, isWell: boolean) => {
    // The store that several agents share may be away, but not while all is well.
    const mayStoreBeAway = !hasOwnStore && !(day.phase === 'calm' && isWell)
    // The token may have changed while it was asked for.
    const mayLack = ['SHUTTING_DOWN', 'TOKEN_INVALID', ...(mayStoreBeAway ? ['STORE_UNREACHABLE'] : [])]
    return ({ body }: NetworkAnswer) => {
      const text = Buffer.from(body).toString()
      // A text of another form is a proxy's page.
      if (text.startsWith('{"ok":') && !mayLack.some((code) => text.includes(code)))
        judge.break('a page of the agent is there', `${path}: ${text}`)
    }
  }
  return {
    host,
    agent,
    addresses,
    callsBy: parts.callsBy,
    ordersBy: parts.ordersBy,
    hasOwnStore,
    isStandby: parts.isStandby ?? false,
    lostOrders: () => openOrdersIn(parts.state).filter(isLost).length,
    seen,
    installOperator: () =>
      void installOperator(
        host,
        network,
        { address: `${name}:8899`, access: parts.callAccess },
        { onStatus, onPageAsked },
        { checksOrders: random.part(`${name} operator`).happens(0.5) },
      ),
    check: promises.check,
    checkAtEnd() {
      const changed = hasStrangeFiles ? findChangedStrange(host.disk, addresses.spool) : undefined
      if (changed !== undefined) judge.break('an agent does not touch what it did not write', `${name} ${changed}`)
    },
    onSlept: promises.onSlept,
    restart() {
      agent.restart(promises.onStop)
    },
    end() {
      parts.state.journal.close()
      parts.state.ledger.close()
    },
  }
}
