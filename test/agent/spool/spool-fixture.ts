import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentConfig } from '../../../agent/config/config.ts'
import { limits } from '../../../contract/limits.ts'
import { FakePlatform } from '../fake-platform.ts'
import { LiveClock } from '../live-clock.ts'
import { agentPublicKey, startTestAgent, type TestAgent } from '../test-agent.ts'

export type FileAnswer = Readonly<Record<string, unknown>>

/** A platform, a spool of real files and an agent at it, as a game server sees them. */
export interface TestSpool extends AsyncDisposable {
  readonly platform: FakePlatform
  readonly clock: LiveClock
  readonly root: string
  readonly stateDir: string
  readonly outbox: string
  readonly inbox: string
  /** Interface A of the same agent. */
  readonly agent: TestAgent
  /** Everything logged so far. */
  logText(): string
  /** Shows a request as a careful game server does: written under another name, then renamed. */
  put(id: string, request: string | Uint8Array | object): void
  /** The text of an answer, as soon as it is there. */
  answerText(id: string): Promise<string>
  answer(id: string): Promise<FileAnswer>
  /** Takes an answer away as a game server does. */
  take(id: string): Promise<FileAnswer>
  /** Resolves when the outbox has been looked at from now on. */
  looked(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

export interface TestSpoolOptions {
  /** Done before the agent starts. */
  readonly before?: (dirs: { root: string; outbox: string; inbox: string; stateDir: string }) => void
  readonly config?: Partial<AgentConfig>
  /** `later`: the test starts the agent. */
  readonly start?: 'now' | 'later'
}

export async function startTestSpool(options: TestSpoolOptions = {}): Promise<TestSpool> {
  const base = mkdtempSync(join(tmpdir(), 'market-agent-spool-'))
  const [root, stateDir] = [join(base, 'spool'), join(base, 'state')]
  const [outbox, inbox] = [join(root, 'outbox'), join(root, 'inbox')]
  const platform = await FakePlatform.start(agentPublicKey)
  const clock = new LiveClock()
  let agent: TestAgent | undefined
  const start = async () => {
    agent = await startTestAgent(platform.url, { spoolDir: root, stateDir, ...options.config }, { clock })
  }
  const stop = async () => {
    const stopping = agent
    agent = undefined
    await stopping?.[Symbol.asyncDispose]()
  }
  options.before?.({ root, outbox, inbox, stateDir })
  if (options.start !== 'later') await start()
  const running = () => {
    if (!agent) throw new Error('the agent is not started')
    return agent
  }

  const answerText = (id: string) => eventually(() => readFileSync(join(inbox, `${id}.json`), 'utf8'))
  const answer = async (id: string) => JSON.parse(await answerText(id)) as FileAnswer
  return {
    platform,
    clock,
    root,
    stateDir,
    outbox,
    inbox,
    get agent() {
      return running()
    },
    logText: () => readFileSync(running().logFile, 'utf8'),
    put: (id, request) => putRequest(outbox, id, request),
    answerText,
    answer,
    async take(id) {
      const taken = await answer(id)
      rmSync(join(inbox, `${id}.json`))
      return taken
    },
    async looked() {
      // A look ends by setting the timer of the next; the one that is under way may have begun before.
      const looks = () => clock.delaysMs.filter((delayMs) => delayMs === limits.spoolScanIntervalMs).length
      const before = looks()
      await eventually(() => looks() >= before + 2 || clock.advance(100))
    },
    stop,
    start,
    async [Symbol.asyncDispose]() {
      const stopped = stop()
      // Whatever is still under way reaches its deadline.
      clock.advance(60_000)
      await stopped
      await platform.stop()
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** Shows a request in one step. */
export function putRequest(outbox: string, id: string, request: string | Uint8Array | object): void {
  const isRaw = typeof request === 'string' || request instanceof Uint8Array
  const temporary = join(outbox, `.${id}.writing`)
  writeFileSync(temporary, isRaw ? request : JSON.stringify(request))
  renameSync(temporary, join(outbox, `${id}.json`))
}

/** What `look` returns, as soon as it neither throws nor returns undefined or false: for promises that are files. */
export async function eventually<Result>(
  look: () => Result | undefined | false,
  boundMs = 15_000,
): Promise<Exclude<Result, false>> {
  const endMs = performance.now() + boundMs
  for (;;) {
    try {
      const result = look()
      if (result !== undefined && result !== false) return result as Exclude<Result, false>
    } catch (error) {
      if (performance.now() > endMs) throw error
    }
    if (performance.now() > endMs) throw new Error(`not within ${boundMs} ms: ${look}`)
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}

/**
 * Resolves when an id has two answers, the one that nobody read set aside. While it is being set aside it has both names.
 */
export async function secondAnswer({ inbox }: TestSpool, id: string): Promise<void> {
  const [first, second] = [join(inbox, `${id}.json.unread`), join(inbox, `${id}.json`)]
  await eventually(() => statSync(first).ino !== statSync(second).ino)
}

/** The names in a directory, in order; the agent's own hidden ones left out. */
export function namesIn(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => !/^\.[0-9a-f]{32}\.tmp$/.test(name))
    .sort()
}

export const claimOf = (id: string) => new RegExp(`^${id}\\.json\\.claim-[A-Za-z0-9-]+$`)

export const eligible = { action: 'market.eligibility', characterRef: 'char-1' }
export const purchase = { action: 'transaction.create', itemRef: 'item-1', quantity: 1, buyerCharacterRef: 'char-2' }
export const registration = {
  action: 'market.register',
  itemRef: 'item-1',
  gameItemId: 'sword-9',
  itemName: 'Espada +9',
  attributes: 'ataque 120, atenção',
  quantityListed: 3,
  unitAmountCents: 1050,
  sellerCharacterRef: 'char-1',
}
