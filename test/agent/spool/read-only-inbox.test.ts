import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { namesIn, purchase, putRequest } from '../fixtures/spool-fixture.ts'

/** An agent that is not root: rights mean nothing to root. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []

test.skipIf(process.platform === 'win32')(
  'answers wait while the agent may not write in the inbox, agent.json says so, and then they come exactly once',
  { timeout: 90_000 },
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    const [outbox, inbox] = [join(home.spoolDir, 'outbox'), join(home.spoolDir, 'inbox')]
    for (const dir of [outbox, inbox]) mkdirSync(dir, { recursive: true })
    if (asNobody.length > 0) execFileSync('chown', ['-R', '65534:65534', home.dir])
    await using agent = spawnAgent(home, { wrapper: asNobody, env: { SERVICE_SPOOL_DIR: home.spoolDir } })
    await agent.listening
    chmodSync(inbox, 0o555)
    for (let n = 0; n < 12; n++) putRequest(outbox, `buy-${n}`, { ...purchase, itemRef: `item-${n}` })

    await until(() => namesIn(outbox).filter((name) => name.endsWith('.done')).length === 12)
    const heartbeat = () => JSON.parse(readFileSync(join(home.spoolDir, 'agent.json'), 'utf8'))
    // The platform has answered, so only the spool is left to be reported.
    const [reason] = await until(
      () => heartbeat().reasons.some((text: string) => text.includes('EACCES')) && heartbeat().reasons,
    )
    expect(heartbeat()).toMatchObject({ ready: false, reasons: [reason] })
    expect(reason).toMatch(/^SERVICE_SPOOL_DIR: .*: EACCES: .*\. Give the agent's user the right to write/)
    expect(agent.output()).toMatch(/"cause":"EACCES: permission denied[^"]*","cure":"give the agent's user the right/)
    expect(agent.output()).not.toContain('EACCES: EACCES')

    chmodSync(inbox, 0o755)
    await until(() => namesIn(inbox).length === 12)
    await until(() => heartbeat().ready)
    for (let n = 0; n < 12; n++) {
      const answer = JSON.parse(readFileSync(join(inbox, `buy-${n}.json`), 'utf8'))
      expect(answer).toMatchObject({ ok: true, transactionId: 42 })
    }
    expect([...platform.acted.values()]).toEqual(Array.from({ length: 12 }, () => 1))
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
    expect([namesIn(outbox).length, namesIn(inbox).length]).toEqual([0, 12])
    rmSync(home.spoolDir, { recursive: true })
  },
)
