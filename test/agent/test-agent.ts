import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { logStart, type Outside, startAgent } from '../../agent/agent.ts'
import type { AgentConfig } from '../../agent/config/config.ts'
import { openLog } from '../../agent/log/log.ts'
import { readSigningKey } from '../../agent/signing/signing-key.ts'
import { keepSecret, outputFile } from '../outputs/outputs.ts'
import { TestClock } from './test-clock.ts'

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** The key that verifies what test agents sign. */
export const agentPublicKey = keys.publicKey
const privateKeyPem = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string

export type Answer = Readonly<Record<string, unknown>> & { readonly ok: boolean }

/** An agent on a port of its own, in this process, whose time the test moves. */
export interface TestAgent extends AsyncDisposable {
  readonly url: string
  readonly clock: TestClock
  readonly logFile: string
  /** Everything logged so far. The line of a call is written in the turn of the event loop after its answer. */
  logText(): Promise<string>
  call(operation: string, input: unknown, id?: string): Promise<Answer>
  /** The answer's bytes as they came. */
  callText(body: string, headers?: Readonly<Record<string, string>>): Promise<{ status: number; text: string }>
}

export async function startTestAgent(
  platformUrl: string,
  overrides: Partial<AgentConfig> = {},
  outside: Partial<Outside> = {},
): Promise<TestAgent> {
  const clock = new TestClock()
  const stateDir = mkdtempSync(join(tmpdir(), 'market-agent-state-'))
  const logFile = outputFile('agent')
  const log = await openLog({ level: 'trace', file: logFile })
  const config: AgentConfig = {
    baseUrl: platformUrl,
    apiKey: keepSecret(`api-key-${randomUUID()}`),
    signingKey: readSigningKey(privateKeyPem, 'game-server-1'),
    host: '127.0.0.1',
    port: 0,
    token: undefined,
    stateDir,
    spoolDir: undefined,
    platformKeys: new Map(),
    extraCa: undefined,
    httpsProxy: undefined,
    noProxy: undefined,
    attemptTimeoutMs: 10_000,
    callDeadlineMs: 30_000,
    logLevel: 'trace',
    logFile,
    ...overrides,
  }
  logStart(config, log)
  const broke = (error: Error) => {
    throw error
  }
  const agent = await startAgent(config, log, broke, { clock, random: () => 0.5, newJti: randomUUID, ...outside })
  const callText = async (body: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${agent.url}/call`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return { status: response.status, text: await response.text() }
  }
  return {
    url: agent.url,
    clock,
    logFile,
    async logText() {
      await new Promise((resolve) => setImmediate(resolve))
      return readFileSync(logFile, 'utf8')
    },
    callText,
    async call(operation, input, id) {
      return JSON.parse((await callText(JSON.stringify({ operation, input, id }))).text) as Answer
    },
    async [Symbol.asyncDispose]() {
      await agent.close(1_000)
      rmSync(stateDir, { recursive: true, force: true })
    },
  }
}

/** An input that each operation accepts. */
export const goodInputs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'character.link': { characterRef: 'char-1' },
  'market.register': {
    itemRef: 'item-1',
    gameItemId: 'sword-9',
    itemName: 'Espada +9',
    attributes: 'ataque 120',
    quantityListed: 3,
    unitAmountCents: 1050,
    sellerCharacterRef: 'char-1',
  },
  'market.adjust-stock': { itemRef: 'item-1', observedQuantity: 2 },
  'market.withdraw': { itemRef: 'item-1' },
  'market.eligibility': { characterRef: 'char-1' },
  'transaction.create': { itemRef: 'item-1', quantity: 1, buyerCharacterRef: 'char-2' },
  'transaction.get': { transactionId: 42 },
  'transaction.delivery': { transactionId: 42 },
  'transaction.delivery-failure': { transactionId: 42, reason: 'TEMPORARY', observedQuantity: 3 },
}

const at = '2026-11-21T12:00:00.000Z'

/** An answer body that each operation's contract accepts. */
export const goodBodies: Readonly<Record<string, string>> = {
  'character.link': JSON.stringify({ data: { linkId: 'l-1', url: 'https://portal.example/l-1', expiresAt: at } }),
  'market.register': JSON.stringify({
    data: {
      id: 7,
      ...goodInputs['market.register'],
      quantitySold: 0,
      observedQuantity: null,
      observedAt: null,
      status: 'ACTIVE',
      createdAt: at,
      updatedAt: at,
      withdrawnAt: null,
    },
  }),
  'market.adjust-stock': '',
  'market.withdraw': '',
  'market.eligibility': JSON.stringify({
    data: {
      allowed: true,
      blocker: null,
      message: 'ok',
      linked: true,
      banned: false,
      selling: { allowed: true, blockers: [], message: 'ok', action: null },
    },
  }),
  'transaction.create': JSON.stringify({
    data: { transactionId: 42, checkoutUrl: 'https://portal.example/checkout/1' },
  }),
  'transaction.get': JSON.stringify({
    data: { transactionId: 42, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' },
  }),
  'transaction.delivery': JSON.stringify({
    data: { transactionId: 42, paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', deliveredAt: at },
  }),
  'transaction.delivery-failure': JSON.stringify({
    data: {
      transactionId: 42,
      paymentStatus: 'PAGO',
      deliveryStatus: 'AGUARDANDO_SERVIDOR',
      refundStarted: false,
      retryAt: at,
    },
  }),
}
