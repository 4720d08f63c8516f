import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { makeSpoolDirs, spoolDirs, spoolReasons } from '../../../agent/spool/spool-dirs.ts'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform, goodReply } from '../fixtures/fake-platform.ts'
import { claimOf, eligible, namesIn, putRequest, startTestSpool } from '../fixtures/spool-fixture.ts'

// The agent and the game server as two users who share a group, as the guide for operators says.

const isWindows = process.platform === 'win32'
/** An agent that is not root, so that the files of this process are another user's. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []

test.skipIf(isWindows)(
  "another user's files that are half-written or wait for their item get their names back, and the stop gives no warning",
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    const { promise: stopping, resolve: letGo } = Promise.withResolvers<void>()
    platform.reply = async (request) => {
      await stopping
      return goodReply(request)
    }
    using home = agentHome(platform.url)
    const [outbox, inbox] = [join(home.spoolDir, 'outbox'), join(home.spoolDir, 'inbox')]
    for (const dir of [outbox, inbox]) mkdirSync(dir, { recursive: true })
    if (asNobody.length > 0) execFileSync('chown', ['-R', '65534:65534', home.dir])
    await using agent = spawnAgent(home, { wrapper: asNobody, env: { SERVICE_SPOOL_DIR: home.spoolDir } })
    await agent.listening
    const observing = (observedQuantity: number) => ({
      ...{ action: 'market.adjust-stock', itemRef: 'item-1', observedQuantity },
    })
    for (const n of [1, 2, 3]) putRequest(outbox, `s-${n}`, observing(n))
    for (const id of ['slow', 'twice']) writeFileSync(join(outbox, `${id}.json`), '{"action":')
    await until(() => namesIn(outbox).every((name) => name.includes('.claim-')))
    // A newer request has the name already.
    putRequest(outbox, 'twice', eligible)
    await platform.arrived(1)
    const stopped = agent.stop()
    await agent.printed('"stopping"')
    letGo()
    expect(await stopped).toEqual({ code: 0, signal: null })
    expect(namesIn(outbox)).toEqual([
      ...['s-2.json', 's-3.json', 'slow.json', 'twice.json'],
      expect.stringMatching(claimOf('twice')),
    ])
    expect(readFileSync(join(outbox, 'twice.json'), 'utf8')).toBe(JSON.stringify(eligible))
    expect(agent.output()).not.toMatch(/"level":"(?:warn|error)"/)
  },
)

/** A spool's own folder, with this mode. */
function rootWith(mode: number) {
  const dirs = spoolDirs(mkdtempSync(join(tmpdir(), 'market-agent-rights-')))
  onTestFinished(() => rmSync(dirs.root, { recursive: true }))
  chmodSync(dirs.root, mode)
  return dirs
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8)

for (const [what, rootMode, wanted] of [
  ['is shared with a group', 0o2750, '2770'],
  ['is shared with a group and may be entered by all', 0o2755, '2775'],
  ["is the agent's own", 0o755, '755'],
  ['is private', 0o700, '700'],
] as const) {
  test.skipIf(isWindows)(
    `outbox and inbox are made with the rights of a root that ${what}, whatever the umask is`,
    () => {
      const dirs = rootWith(rootMode)
      const umask = process.umask(0o027)
      try {
        expect(makeSpoolDirs(hostFiles, dirs).map(({ dir }) => dir)).toEqual([dirs.outbox, dirs.inbox])
        rmSync(dirs.inbox, { recursive: true })
        expect(makeSpoolDirs(hostFiles, dirs)).toEqual([{ dir: dirs.inbox, mode: wanted }])
      } finally {
        process.umask(umask)
      }
      expect([modeOf(dirs.outbox), modeOf(dirs.inbox)]).toEqual([wanted, wanted])
      expect(statSync(dirs.outbox).gid).toBe(statSync(dirs.root).gid)
      expect(spoolReasons(hostFiles, dirs, true)).toEqual([])
    },
  )
}

test.skipIf(isWindows)(
  'an inbox that the shared group may not write in is reported, in the log and in agent.json',
  async () => {
    await using spool = await startTestSpool({
      before: ({ root, outbox, inbox }) => {
        mkdirSync(root, { recursive: true })
        chmodSync(root, 0o2750)
        for (const dir of [outbox, inbox]) mkdirSync(dir)
        chmodSync(outbox, 0o2770)
        chmodSync(inbox, 0o2750)
      },
    })
    const reason = `SERVICE_SPOOL_DIR: the group of ${spool.root} may not write in ${spool.inbox}. Run: chgrp --reference=${spool.root} ${spool.inbox} && chmod g+rwxs ${spool.inbox}`
    const heartbeat = () => JSON.parse(readFileSync(join(spool.root, 'agent.json'), 'utf8'))
    expect(await until(() => heartbeat())).toMatchObject({
      ready: false,
      reasons: expect.arrayContaining([reason]),
    })
    expect(spool.logText()).toContain(JSON.stringify(reason))
    execFileSync('chmod', ['g+rwxs', spool.inbox])
    spool.clock.advance(5_000)
    await until(() => !heartbeat().reasons.includes(reason))
  },
)
