/**
 * What the agent's spool is measured against: the worker that a person would write in an afternoon. It reads the outbox
 * every 200 ms and gives its eight slots to the first requests that it finds. It has no retries, no ordering, no sync to
 * disk, no recovery and no journal.
 */
import { readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { platformClientFromEnvironment } from './simple-client.ts'

const slotsMax = 8
const call = await platformClientFromEnvironment()
const spool = process.env['SERVICE_SPOOL_DIR'] ?? ''
const [outbox, inbox] = [join(spool, 'outbox'), join(spool, 'inbox')]
let slotsUsed = 0

setInterval(scan, 200)
console.log(JSON.stringify({ msg: 'listening', url: 'none' }))

async function scan(): Promise<void> {
  for (const name of await readdir(outbox)) {
    if (slotsUsed >= slotsMax) return
    if (name.startsWith('.') || !name.endsWith('.json')) continue
    slotsUsed++
    void answer(name).finally(() => slotsUsed--)
  }
}

async function answer(name: string): Promise<void> {
  const claim = join(outbox, `${name}.claim`)
  await rename(join(outbox, name), claim)
  const { id, action, ...input } = JSON.parse(await readFile(claim, 'utf8'))
  const result = await call(action, input)
  const temporary = join(inbox, `.${name}.tmp`)
  await writeFile(temporary, JSON.stringify({ ...result, id }))
  await rename(temporary, join(inbox, name))
  await unlink(claim)
}
