import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ScriptedPlatform } from './fixtures/scripted-platform.ts'
import { goodInputs, startTestAgent } from './fixtures/test-agent.ts'

test('an agent whose port is taken sends nothing and claims no file', async () => {
  await using platform = await ScriptedPlatform.start()
  const spoolDir = mkdtempSync(join(tmpdir(), 'market-agent-spool-'))
  mkdirSync(join(spoolDir, 'outbox'))
  writeFileSync(
    join(spoolDir, 'outbox', 'buy-1.json'),
    JSON.stringify({ action: 'transaction.create', ...goodInputs['transaction.create'] }),
  )
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  await expect(startTestAgent(platform.url, { spoolDir, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  other.close()
  expect(platform.seen).toEqual([])
  expect(readdirSync(join(spoolDir, 'outbox'))).toEqual(['buy-1.json'])
  rmSync(spoolDir, { recursive: true })
})
