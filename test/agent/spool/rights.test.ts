import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { eligible, namesIn, putRequest } from '../fixtures/spool-fixture.ts'

/** An agent that is not root: rights mean nothing to root. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []

test.skipIf(process.platform === 'win32')(
  'requests that the agent may not read are refused in words, and stop nothing',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    const [outbox, inbox] = [join(home.spoolDir, 'outbox'), join(home.spoolDir, 'inbox')]
    mkdirSync(outbox, { recursive: true })
    for (let n = 0; n < 12; n++) {
      writeFileSync(join(outbox, `secret-${n}.json`), JSON.stringify(eligible))
      chmodSync(join(outbox, `secret-${n}.json`), 0)
    }
    if (asNobody.length > 0) {
      execFileSync('chown', ['-R', '65534:65534', home.dir])
      execFileSync('chown', ['-R', '0:0', ...namesIn(outbox).map((name) => join(outbox, name))])
    }
    await using agent = spawnAgent(home, { wrapper: asNobody, env: { SERVICE_SPOOL_DIR: home.spoolDir } })
    await agent.listening
    putRequest(outbox, 'ask-1', eligible)
    const answer = (id: string) =>
      until(() => JSON.parse(readFileSync(join(inbox, `${id}.json`), 'utf8')) as Record<string, unknown>)
    expect(await answer('ask-1')).toMatchObject({ ok: true })
    for (let n = 0; n < 12; n++) {
      const message = 'O agente não pode ler o arquivo: dê permissão de leitura ao usuário do agente.'
      expect(await answer(`secret-${n}`)).toEqual({
        id: `secret-${n}`,
        ok: false,
        message,
        status: 400,
        code: 'FILE_NOT_READABLE',
      })
    }
    expect(namesIn(outbox).every((name) => name.endsWith('.rejected'))).toBe(true)
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
    rmSync(outbox, { recursive: true })
  },
)
