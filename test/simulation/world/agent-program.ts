import { pino } from 'pino'
import { type RunningAgent, startAgent } from '../../../agent/agent.ts'
import { exitCodes } from '../../../agent/command-line/exit-codes.ts'
import { explainFailedStart } from '../../../agent/command-line/failed-start.ts'
import type { AgentConfig } from '../../../agent/config/config.ts'
import { LiveConfig } from '../../../agent/config/live-config.ts'
import { StoreFullError, StoreUnreachableError, StoreUnusableError } from '../../../agent/database/store-errors.ts'
import { SyncFailedError } from '../../../agent/durable-files/disk-errors.ts'
import { RemovedError } from '../../../agent/durable-files/same-file.ts'
import type { SharedStoreParts } from '../../../agent/postgres/open-shared-store.ts'
import { readSigningKey, type SigningKey } from '../../../agent/signing/signing-key.ts'
import type { OpenStore } from '../../../agent/store.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'
import { type AgentState, modelOutside } from '../agent/model-outside.ts'
import type { ModelHost, Program } from '../host.ts'
import type { Network } from '../network/network.ts'
import { type ModelProcess, ProcessDied } from '../process.ts'
import type { Random } from '../random.ts'
import { type Scheduler, worldActor } from '../scheduler.ts'
import type { CallAccess } from './call-door.ts'
import type { GameWays } from './game/game-parts.ts'
import type { OrderDoor } from './game/take-orders.ts'
import { platformAddress, type Registration } from './model-platform.ts'
import { type AgentWitness, type LoggedLine, witnessOutside } from './witnessed.ts'

/** Where the parts of one game server's host are. */
export interface HostAddresses {
  readonly call: { readonly host: string; readonly port: number }
  readonly webhook: { readonly host: string; readonly port: number }
  /** Where the game server takes what the agent posts. */
  readonly orders: string
  readonly spool: string
}

/** A store that an agent shares with others, in place of its own. */
export interface SharedStore {
  readonly agentName: string
  readonly world: string
  readonly open: (process: ModelProcess, given: SharedStoreGiven) => OpenStore
}

/** What an opener of a shared store gets from each process. */
export type SharedStoreGiven = Pick<SharedStoreParts, 'files' | 'log' | 'onLeaseLost'>

export interface AgentParts extends Pick<GameWays, 'ordersBy' | 'hasSpool'> {
  readonly host: ModelHost
  readonly network: Network
  readonly scheduler: Scheduler
  readonly state: AgentState
  /** Undefined for an agent that keeps everything in its state directory. */
  readonly store?: SharedStore | undefined
  readonly addresses: HostAddresses
  readonly orderDoor: OrderDoor
  /** What a caller must show. */
  readonly callAccess: CallAccess
  /** Of an attempt, and of a call with all its attempts. */
  readonly deadlines: Pick<AgentConfig, 'attemptTimeoutMs' | 'callDeadlineMs'>
  readonly registration: () => Registration
  /** The staff register another key, or give the game server another token. */
  readonly rotate: (which: Credential) => void
  readonly witness: AgentWitness
  /** An agent ended in a way that no operator was told about. */
  readonly onBug: (error: unknown) => void
  /** A configuration that must be refused was taken, or changed something. */
  readonly onMistakeTaken: () => void
}

/** A key by which the platform knows an agent, the token by which its game server knows it, or that by which it knows its callers. */
export type Credential = 'signing key' | 'API key' | 'forward token' | 'call token'

/** The kid of a key by which an agent knows the platform. */
export interface PlatformKey {
  readonly kid: string
  readonly sinceMs: number
  /** The kid before that. */
  readonly before: string
}

/** An agent of the world: its program, and what runs now. */
export interface ModelAgent {
  readonly program: Program
  /** When the last process was started: virtual time. */
  readonly startedMs: number
  /** Whether a process of it runs that has begun to work and has not been told to stop. */
  readonly isWorking: boolean
  /** As it was read last; undefined before the first start. */
  readonly config: AgentConfig | undefined
  /** When it was read last: virtual time. */
  readonly configReadMs: number
  /** Reads the configuration again, with another level of the log. */
  reload(): void
  /** Reads a configuration that must be refused: it has another key, and something that needs a restart. */
  reloadInVain(random: Random): void
  /** Gets another one of these, and reads the configuration again. */
  rotate(which: Credential): void
  /** The key of the platform that the configuration names, and since when: virtual time. */
  readonly platformKey: PlatformKey
  /** Puts a key of the platform in the place of the one in use, or that one back, and reads the configuration again. */
  setPlatformKey(which: 'in use' | 'another'): void
  /**
   * Stops it as SIGTERM does, and starts it again. Nothing happens to one that is being started, or that stops already.
   *
   * @param watch Called when the stop begins.
   */
  restart(watch?: () => StopWatch): void
}

/** Who watches a stop. */
export interface StopWatch {
  /** It has ended, and the agent is not started yet. */
  readonly onEnded: () => void
  /** It has not ended in time. */
  readonly onLate: () => void
}

/** The reasons for which an agent may end by itself, besides errors of the system. */
const failures = [SyncFailedError, RemovedError, StoreUnusableError]
const systemCode = /^E[A-Z0-9]+$/

/** How a start says that it has no right to a file. */
const noRight = /\b(?:EACCES|EPERM)\b/

const { privateKey, publicKey } = testKeysOf('game-server')
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const keys = new Map<string, SigningKey>()
/** A service manager starts an agent again that ended by itself. */
const systemd = worldActor('systemd')
const restartMs = 2_000
/** What a stop gives to calls under way. */
const graceMs = 10_000
/** A stop that has not ended by then never ends: a call may wait for a slot for one deadline, and then it has its own. */
const stopMsMax = 90_000

/** Installs an agent that is started again 2 s after it ended by itself. */
export function installAgent(parts: AgentParts): ModelAgent {
  const { host, scheduler, witness, onBug } = parts
  let running: { readonly process: ModelProcess; readonly agent: RunningAgent } | undefined
  let live: LiveConfig | undefined
  let startedMs = 0
  let used: AgentConfig | undefined
  let configReadMs = 0
  let isRestartPlanned = false
  const restartLater = () => {
    if (isRestartPlanned) return
    isRestartPlanned = true
    scheduler.after(restartMs, systemd, 'starts the agent again', () => {
      isRestartPlanned = false
      program.start()
    })
  }
  let level: AgentConfig['logLevel'] = 'info'
  let platformKey: PlatformKey = { kid: '', sinceMs: 0, before: '' }
  let usesAnotherKey = false
  const read = (): AgentConfig => {
    const platformKid = usesAnotherKey ? 'another-key' : parts.registration().platformKid
    if (platformKid !== platformKey.kid)
      platformKey = { kid: platformKid, sinceMs: scheduler.nowMs, before: platformKey.kid }
    used = { ...configOf(parts, platformKid), logLevel: level }
    configReadMs = scheduler.nowMs
    return used
  }
  let readAgain = read
  const watchStop = (process: ModelProcess, watch: StopWatch | undefined): void => {
    const { sleptMs } = scheduler
    process.after(stopMsMax, 'must have ended', () =>
      scheduler.sleptMs > sleptMs ? watchStop(process, watch) : watch?.onLate(),
    )
  }
  const program = host.install('agent', (process) => {
    const write = (line: string) => {
      if (process.state !== 'dead') witness.onLogged({ text: line, ...(JSON.parse(line) as Omit<LoggedLine, 'text'>) })
    }
    const log = pino({ base: null, timestamp: false }, { write })
    const config = read()
    const reading = () => ({ ok: true as const, config: readAgain() })
    live = new LiveConfig(config, {
      read: reading,
      readToken: () => parts.callAccess.token,
      onReload() {
        if (live) log.level = live.current.logLevel
      },
    })
    running = undefined
    startedMs = scheduler.nowMs
    const end = (error: unknown): void => {
      if (process.state === 'dead') return
      scheduler.trace.add(scheduler.nowMs, process.name, `ends: ${String(error)}`)
      process.end()
      restartLater()
    }
    const failuresBefore = host.diskFaults.failures
    const onFatal = (error: Error): never => {
      const isHostHealthy = parts.store === undefined && host.diskFaults.failures === failuresBefore
      if (process.state !== 'dead' && (isHostHealthy || !isFailure(error, parts.store))) onBug(error)
      end(error)
      throw new ProcessDied()
    }
    const model = modelOutside({ ...parts, process })
    const openStore = parts.store?.open(process, { files: model.files, log, onLeaseLost: end }) ?? model.openStore
    const isDead = () => process.state === 'dead'
    const outside = witnessOutside({ ...model, openStore }, witness, parts.addresses, () => scheduler.nowMs, isDead)
    startAgent(live, log, onFatal, outside).then(
      (agent) => {
        running = { process, agent }
        void agent.learnPlatformClock()
      },
      (error: unknown) => {
        if (process.state === 'dead') return
        try {
          // After this exit code systemd does not start it again. Only a right that it does not have can be wrong for good here.
          const { message, exitCode } = explainFailedStart(error, config)
          if (exitCode === exitCodes.usage && !noRight.test(message)) onBug(error)
        } catch {
          onBug(error)
        }
        end(error)
      },
    )
  })
  return {
    program,
    get startedMs() {
      return startedMs
    },
    get isWorking() {
      return running !== undefined && running.process === program.process
    },
    get config() {
      return used
    },
    get configReadMs() {
      return configReadMs
    },
    get platformKey() {
      return platformKey
    },
    reload() {
      level = level === 'info' ? 'debug' : 'info'
      live?.reload()
    },
    reloadInVain(random) {
      if (!live) return
      const { current } = live
      readAgain = () => ({ ...current, ...random.pick(mistakes)(current), signingKey: keyOf('refused') })
      const { ok } = live.reload()
      readAgain = read
      if (ok || live.current !== current) parts.onMistakeTaken()
    },
    rotate(which) {
      parts.rotate(which)
      live?.reload()
    },
    setPlatformKey(which) {
      usesAnotherKey = which === 'another'
      live?.reload()
    },
    restart(watch) {
      const { process } = program
      // One that is being started has no agent yet.
      if (!running || running.process !== process || process.state !== 'running') return
      const { agent } = running
      // One that stops is not told again.
      running = undefined
      const watching = watch?.()
      const onClosed = () => {
        watching?.onEnded()
        process.end()
        restartLater()
      }
      watchStop(process, watching)
      agent.close(graceMs).then(onClosed, (error: unknown) => {
        // Its disk failed while it stopped.
        if (process.state !== 'dead') throw error
      })
    },
  }
}

/** Whether an error is one of the host or of a shared store. Others are bugs. A full disk does not end an agent. */
function isFailure(error: Error, store: SharedStore | undefined): boolean {
  const ofStore = store ? [StoreFullError, StoreUnreachableError] : []
  const isNamed = [...failures, ...ofStore].some((named) => error instanceof named)
  return isNamed || ('code' in error && systemCode.test(String(error.code)))
}

function configOf(
  { addresses, registration, ordersBy, hasSpool, orderDoor, callAccess, store, deadlines }: AgentParts,
  platformKid: string,
): AgentConfig {
  const { apiKey, kid } = registration()
  return {
    baseUrl: `http://${platformAddress}`,
    apiKey,
    signingKey: keyOf(kid),
    ...addresses.call,
    token: callAccess.token,
    stateDir: '/var/state',
    spoolDir: hasSpool ? addresses.spool : undefined,
    storeUrl: undefined,
    agentName: store?.agentName ?? 'a',
    world: store?.world ?? '',
    platformKeys: new Map([[platformKid, publicKey]]),
    webhook: {
      ...addresses.webhook,
      path: '/webhook',
      forwardUrl: ordersBy === 'url' ? `http://${addresses.orders}/orders` : undefined,
      forwardToken: orderDoor.token,
      ordersBy,
    },
    extraCa: undefined,
    httpsProxy: undefined,
    noProxy: undefined,
    ...deadlines,
    logLevel: 'info',
    logFile: undefined,
    warnings: [],
  }
}

/** What a running agent cannot change. */
const mistakes: readonly ((config: AgentConfig) => Partial<AgentConfig>)[] = [
  ({ baseUrl }) => ({ baseUrl: `${baseUrl}/v2` }),
  ({ port }) => ({ port: port + 1 }),
  () => ({ stateDir: '/var/elsewhere' }),
  ({ callDeadlineMs }) => ({ callDeadlineMs: callDeadlineMs + 1 }),
  ({ attemptTimeoutMs }) => ({ attemptTimeoutMs: attemptTimeoutMs + 1 }),
  ({ world }) => ({ world: `${world}-2` }),
  ({ spoolDir }) => ({ spoolDir: spoolDir === undefined ? '/var/spool' : undefined }),
  () => ({ webhook: undefined }),
  ({ webhook }) => ({ webhook: webhook && { ...webhook, path: '/elsewhere' } }),
]

function keyOf(kid: string): SigningKey {
  const key = keys.get(kid) ?? readSigningKey(pem, kid)
  keys.set(kid, key)
  return key
}
