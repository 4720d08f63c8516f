/**
 * What the agent's spool is measured against: the worker that a person would write in an afternoon. It reads the outbox
 * every 200 ms and gives its eight places to the first requests that it finds. No retries, no ordering, no sync to disk,
 * no recovery, no memory of ids.
 */
import { readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { credentialsFromEnvironment, platformClient } from './simple-sidecar.ts'

const scanIntervalMs = 200
const placesMax = 8

const call = await platformClient(await credentialsFromEnvironment())
const root = process.env['SERVICE_SPOOL_DIR'] ?? ''
const outbox = join(root, 'outbox')
const inbox = join(root, 'inbox')
let placesTaken = 0

setInterval(scan, scanIntervalMs)
console.log(JSON.stringify({ msg: 'listening', url: 'none' }))

async function scan(): Promise<void> {
  for (const name of await readdir(outbox)) {
    if (placesTaken >= placesMax) return
    if (name.startsWith('.') || !name.endsWith('.json')) continue
    placesTaken++
    void answer(name).finally(() => placesTaken--)
  }
}

async function answer(name: string): Promise<void> {
  const claim = join(outbox, `${name}.claim`)
  await rename(join(outbox, name), claim)
  const { id, action, ...input } = JSON.parse(await readFile(claim, 'utf8'))
  const result = await call(action, input)
  const text = JSON.stringify(result.ok ? { ...(result.data as object | null), id, ok: true } : { ...result, id })
  const temporary = join(inbox, `.${name}.tmp`)
  await writeFile(temporary, text)
  await rename(temporary, join(inbox, name))
  await unlink(claim)
}
