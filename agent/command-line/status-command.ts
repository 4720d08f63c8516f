import { styleText } from 'node:util'
import { readDaemonAddress } from '../config/config.ts'
import { say, speaksPortuguese } from '../language/say.ts'
import type { Status } from '../status/status.ts'
import { askDaemon } from './daemon-request.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfig } from './read-config.ts'

/** `market-agent status`: the state of the running daemon, for people or, with `--json`, as GET /status answers. */
export async function status(options: { config?: string; json?: boolean }): Promise<void> {
  const address = readConfig(options.config, readDaemonAddress)
  const answer = address && (await askDaemon(address, 'GET', '/status'))
  if (!answer) return
  if (answer.status !== 200) process.exitCode = exitCodes.refused
  if (options.json || answer.status !== 200) return void process.stdout.write(`${answer.text}\n`)
  process.stdout.write(statusForPeople(JSON.parse(answer.text) as Status))
}

/** Colours are for a terminal, and never with `NO_COLOR`: `styleText` looks at both. */
function statusForPeople(status: Status): string {
  const { platform, keys, calls, journal, store, spool, orders } = status
  const nowMs = Date.parse(status.startedAt) + status.uptimeS * 1000
  const state = status.ready ? styleText('green', say`ready`) : styleText('red', say`not ready`)
  const rows: [string, string][] = [
    [say`up`, say`${duration(status.uptimeS)}, since ${status.startedAt}`],
    [say`platform`, `${platform.host}, ${contactOf(platform.lastContactAt, nowMs)}`],
    [say`clock`, clockOf(platform.clockOffsetMs)],
    [say`signing key`, keyOf(keys.signing)],
    ...keys.platform.map((key): [string, string] => [say`platform key`, keyOf(key)]),
    [say`calls`, say`${calls.inFlight} in flight, ${calls.waiting} waiting`],
    [say`since start`, say`${calls.ok} ok, ${calls.refused} refused, ${calls.uncertain} uncertain`],
    [
      'journal',
      say`${journal.entries ?? '?'} ids, ${journal.writable ? say`writable` : styleText('red', say`not writable`)}`,
    ],
  ]
  if (store) {
    const others = store.agents?.map(({ name, world }) => (world === '' ? name : `${name} (${world})`)).join(', ')
    rows.push([say`store`, store.up ? say`shared by ${others}` : styleText('red', say`cannot be reached`)])
  }
  if (spool) {
    const files = say`${spool.backlog} waiting, ${spool.inFlight} in flight, ${spool.rejected} rejected`
    rows.push(['spool', spool.dir], ['', `${files}${oldest(spool.oldestAgeS)}`])
  }
  if (orders)
    rows.push([say`orders`, `${say`${orders.open} open, ${orders.waiting} not taken`}${oldest(orders.oldestAgeS)}`])
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, text]) => `  ${styleText('dim', name.padEnd(width))}  ${text}`)
  const reasons = status.reasons.map((reason) => `  ${styleText('yellow', '!')} ${reason}`)
  // The reasons are those of the log, in its words.
  const hint = reasons.length > 0 && speaksPortuguese() ? ['    Em português: market-agent check'] : []
  return `${[`${status.agent}: ${state}`, ...reasons, ...hint, ...lines].join('\n')}\n`
}

function contactOf(lastContactAt: string | null, nowMs: number): string {
  if (lastContactAt === null) return say`no signed call answered yet`
  return say`last contact ${duration(Math.max(0, Math.round((nowMs - Date.parse(lastContactAt)) / 1000)))} ago`
}

function clockOf(offsetMs: number | null): string {
  if (offsetMs === null) return say`not compared with the platform's yet`
  if (Math.abs(offsetMs) < 1000) return say`agrees with the platform's`
  const off = duration(Math.round(Math.abs(offsetMs) / 1000))
  return offsetMs > 0 ? say`${off} behind the platform's` : say`${off} ahead of the platform's`
}

function keyOf({ kid, fingerprint }: { kid: string; fingerprint: string }): string {
  return `${kid} (${fingerprint})`
}

function oldest(ageS: number | null): string {
  return ageS === null ? '' : say`, the oldest for ${duration(ageS)}`
}

/** The two largest units. */
function duration(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const
  const first = units.findIndex(([size]) => seconds >= size)
  if (first < 0) return '0 s'
  const parts = units.slice(first, first + 2).map(([size, unit], n) => {
    const count = n === 0 ? Math.floor(seconds / size) : Math.floor((seconds % (units[first]?.[0] ?? 1)) / size)
    return { count, text: `${count} ${unit}` }
  })
  return parts
    .filter(({ count }) => count > 0)
    .map(({ text }) => text)
    .join(' ')
}
