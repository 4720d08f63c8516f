import { type DaemonAddress, readDaemonAddress } from '../config/config.ts'
import { say } from '../language/say.ts'
import { askDaemon } from './daemon-request.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfig } from './read-config.ts'

export interface OrdersOptions {
  readonly config?: string
  readonly json?: boolean
  readonly checkNow?: boolean
  /** Those of the other agents that share the store too. */
  readonly allWorlds?: boolean
}

/** What the table shows of an order in the answer of `orders.open`. */
interface Listed {
  /** With `--all-worlds`. */
  readonly world?: string
  readonly transactionId: number
  readonly itemRef: string
  readonly quantity: number | null
  readonly state: 'received' | 'offered' | 'taken' | 'reporting' | 'put-off'
  readonly result: string | null
  readonly since: string
  readonly offers: number
  readonly retryAt: string | null
}

/** `market-agent orders`: the open orders, as a table for people or, with `--json`, in the form of `orders.open`. */
export async function orders({ config, json, checkNow, allWorlds }: OrdersOptions): Promise<void> {
  const address = readConfig(config, readDaemonAddress)
  if (!address || (checkNow && !(await check(address)))) return
  const text = await askForData(address, 'GET', allWorlds ? '/orders/all-worlds' : '/orders')
  if (text === undefined) return
  process.stdout.write(json ? `${text}\n` : tableOf((JSON.parse(text) as { data: { orders: Listed[] } }).data.orders))
}

/** Makes the agent ask the platform about every open order. @returns Whether the orders can be shown. */
async function check(address: DaemonAddress): Promise<boolean> {
  const text = await askForData(address, 'POST', '/orders/check')
  if (text === undefined) return false
  const { asked, unanswered } = (JSON.parse(text) as { data: { asked: number; unanswered: number } }).data
  if (unanswered > 0) {
    const problem = say`the platform gave no answer about ${unanswered} of ${asked} orders; the agent's log says why`
    process.stderr.write(`market-agent orders: ${problem}\n`)
    process.exitCode = exitCodes.refused
  }
  return true
}

/** The text of an answer with `ok: true`. Another answer is printed, and the exit code is set. */
async function askForData(address: DaemonAddress, method: 'GET' | 'POST', path: string): Promise<string | undefined> {
  const answer = await askDaemon(address, method, path)
  if (!answer || answer.text.startsWith('{"ok":true')) return answer?.text
  process.stdout.write(`${answer.text}\n`)
  process.exitCode = exitCodes.refused
  return undefined
}

const waitsFor = {
  received: () => say`the platform: it has not confirmed the order yet`,
  offered: () => say`the game server: deliver it, reply with observedQuantity and result`,
  reporting: ({ result }) => say`the platform: it has not accepted ${result} yet`,
  taken: () => say`the game server: deliver it, call transaction.delivery`,
  'put-off': ({ retryAt }) =>
    retryAt
      ? say`the platform: it sends the order again from ${shortTime(retryAt)}`
      : say`the platform: it sends the order again`,
} as const satisfies Record<Listed['state'], (order: Listed) => string>

function tableOf(listed: readonly Listed[]): string {
  if (listed.length === 0) return `${say`no open orders`}\n`
  const hasWorlds = listed.some(({ world }) => world !== undefined)
  const rows = listed.map((order) => [
    ...(hasWorlds ? [order.world || '-'] : []),
    String(order.transactionId),
    order.state,
    shortTime(order.since),
    String(order.offers),
    `${order.quantity ?? '?'} x ${order.itemRef.replace(/\p{C}/gu, '?')}`,
    waitsFor[order.state](order),
  ])
  const head = [
    ...(hasWorlds ? [say`WORLD`] : []),
    say`TRANSACTION`,
    say`STATE`,
    say`SINCE`,
    say`OFFERS`,
    'ITEM',
    say`WAITS FOR`,
  ]
  const table = [head, ...rows]
  const widths = table.reduce<readonly number[]>(
    (widest, row) => row.map((cell, column) => Math.max(cell.length, widest[column] ?? 0)),
    [],
  )
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

/** An ISO-8601 time without its milliseconds. */
function shortTime(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z')
}
