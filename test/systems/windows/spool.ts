import { equal, ok } from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '../../../contract/limits.ts'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../../agent/fixtures/agent-process.ts'
import { FakePlatform } from '../../agent/fixtures/fake-platform.ts'
import { eligible, purchase, putRequest } from '../../agent/fixtures/spool-fixture.ts'
import { holdOpen } from './held-file.ts'
import type { PromiseGroup } from './promises.ts'

const loneFiles = 40

/** Interface C. */
export const spool: PromiseGroup = {
  name: 'spool',
  async test(holds) {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    const [outbox, inbox] = [join(home.spoolDir, 'outbox'), join(home.spoolDir, 'inbox')]
    await using agent = spawnAgent(home, { env: { SERVICE_SPOOL_DIR: home.spoolDir } })
    await agent.listening
    const answer = async (id: string) => {
      const path = join(inbox, `${id}.json`)
      const text = await until(() => existsSync(path) && readFileSync(path, 'utf8'), path)
      rmSync(path)
      return JSON.parse(text) as { readonly id: string; readonly ok: boolean }
    }
    await holds('a request file is answered below a path of more than 260 characters', async () => {
      using far = agentHome(platform.url)
      const root = join(far.dir, 'a-long-name-of-a-directory-'.repeat(5), 'another-long-name-of-a-directory-'.repeat(5))
      ok(root.length > 260)
      await using other = spawnAgent(far, { env: { SERVICE_SPOOL_DIR: root } })
      await other.listening
      putRequest(join(root, 'outbox'), 'first', purchase)
      const path = join(root, 'inbox', 'first.json')
      await until(() => existsSync(path), path)
      await other.kill()
    })
    await holds('a request that a scanner holds open for a while is answered once it lets go', async () => {
      const path = join(outbox, 'scanned.json')
      writeFileSync(path, JSON.stringify(eligible))
      const held = holdOpen(path)
      await until(() => held.ageMs() > 1_500)
      equal(existsSync(join(inbox, 'scanned.json')), false)
      held.close()
      equal((await answer('scanned')).ok, true)
    })
    await holds('an answer whose place a reader holds open is published once it lets go', async () => {
      putRequest(outbox, 'unread', eligible)
      const path = join(inbox, 'unread.json')
      await until(() => existsSync(path))
      const held = holdOpen(path)
      putRequest(outbox, 'unread', eligible)
      await until(() => held.ageMs() > 1_500)
      held.close()
      const aside = await until(() => readdirSync(inbox).find((name) => name.startsWith('unread.json.unread')))
      equal((await answer('unread')).ok, true)
      rmSync(join(inbox, aside))
    })
    await holds('two names that differ only in case are two calls, one after the other', async () => {
      putRequest(outbox, 'case', eligible)
      equal((await answer('case')).id, 'case')
      putRequest(outbox, 'CASE', eligible)
      equal((await answer('CASE')).id, 'CASE')
    })
    await holds('a lone request file is picked up by its event and not by the next scan', async () => {
      const tookMs: number[] = []
      for (let n = 1; n <= loneFiles; n++) {
        putRequest(outbox, `lone-${n}`, eligible)
        const startMs = performance.now()
        equal((await answer(`lone-${n}`)).ok, true)
        tookMs.push(performance.now() - startMs)
      }
      tookMs.sort((a, b) => a - b)
      // Without events each file but the first is written just after a scan and waits for the next one.
      const [tenthMs = Number.NaN, medianMs = Number.NaN] = [tookMs[loneFiles / 10], tookMs[loneFiles / 2]]
      ok(tenthMs < limits.spoolScanIntervalMs / 2, `nine of ten took more than ${tenthMs.toFixed(0)} ms`)
      return `answered after ${medianMs.toFixed(0)} ms at the median under Wine, one in ten before ${tenthMs.toFixed(0)} ms`
    })
    await holds('a stop leaves no file of the agent in the spool', async () => {
      mkdirSync(outbox, { recursive: true })
      equal((await agent.stop()).code, 0)
      equal([...readdirSync(outbox), ...readdirSync(inbox)].join(), '')
    })
  },
}
