import { existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../until.ts'

/** What the agent answered, the same for both interfaces. */
export interface Answer {
  readonly ok: boolean
  readonly data: Readonly<Record<string, unknown>>
  readonly message?: string
  readonly status?: number
}

/** How a game server calls its agent. */
export type Caller = (operation: string, input: Readonly<Record<string, unknown>>, id?: string) => Promise<Answer>

/** Interface A: POST /call. */
export function callingByHttp(agentUrl: string): Caller {
  return async (operation, input, id) => {
    const response = await fetch(`${agentUrl}/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operation, input, id }),
    })
    const answer = (await response.json()) as Answer
    return { ...answer, data: answer.data ?? {} }
  }
}

/** Interface C: a file into the outbox, a file from the inbox. */
export function callingByFiles(spoolDir: string): Caller {
  let count = 0
  return async (operation, input, id = `demo-${process.pid}-${++count}`) => {
    writeWhole(join(spoolDir, 'outbox', `${id}.json`), { id, action: operation, ...input })
    const inbox = join(spoolDir, 'inbox', `${id}.json`)
    await until(async () => existsSync(inbox), inbox)
    const { ok, id: _, ...rest } = JSON.parse(readFileSync(inbox, 'utf8'))
    unlinkSync(inbox)
    return ok ? { ok, data: rest } : { ok, data: {}, message: rest.message, status: rest.status }
  }
}

/** Writes a file under another name and renames it, so that its reader never sees half of it. */
export function writeWhole(path: string, value: object): void {
  writeFileSync(`${path}.tmp`, JSON.stringify(value))
  renameSync(`${path}.tmp`, path)
}
