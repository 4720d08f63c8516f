import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentHome, agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'

/** Runs before the program. `here` is a step of the start, at which the process sends itself a signal. */
const preload = (text: string): readonly string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const signalBefore = (object, name, isHere) => {
      const act = object[name]
      object[name] = function (...args) {
        if (isHere(...args)) process.kill(process.pid, process.env.SIGNAL_OF_TEST)
        return act.apply(this, args)
      }
    }
    ${text}
    syncBuiltinESMExports()
  `)}`,
]

/** The steps of a start, from the first that runs code of the program, each where it first touches the outside. */
const steps: Readonly<Record<string, string>> = {
  'its settings are read': `signalBefore(fs, 'readFileSync', (path) => path === process.env.SERVICE_SIGNING_KEY_FILE)`,
  'it locks its directories': `signalBefore(fs, 'mkdirSync', (path) => path === process.env.SERVICE_STATE_DIR)`,
  'its journal is opened': `
    const { DatabaseSync } = await import('node:sqlite')
    signalBefore(DatabaseSync.prototype, 'exec', () => fs.existsSync(process.env.SERVICE_STATE_DIR + '/journal.db'))`,
  'it takes its port': `
    const { Server } = await import('node:net')
    signalBefore(Server.prototype, 'listen', () => true)`,
  'it reads its spool': `signalBefore(fs, 'opendirSync', (path) => path.endsWith('outbox'))`,
}

const spoolOf = (home: AgentHome) => ({ SERVICE_SPOOL_DIR: home.spoolDir })

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test.each(Object.keys(steps))(`${signal} while %s ends the agent with 0, and the log says so`, async (step) => {
    using home = agentHome('http://127.0.0.77:9')
    const env = { ...spoolOf(home), SIGNAL_OF_TEST: signal }
    await using agent = spawnAgent(home, { env, nodeArgs: preload(steps[step] ?? '') })
    expect(await agent.ended).toEqual({ code: 0, signal: null })
    expect(agent.output()).toContain(`"signal":"${signal}","msg":"stopping"`)
    expect(agent.output().trimEnd()).toMatch(/"msg":"stopped"\}$/)
  })
}

test('SIGTERM while another agent is waited for ends the agent at once, with 0', async () => {
  using home = agentHome('http://127.0.0.77:9')
  await using first = spawnAgent(home)
  await first.listening
  await using second = spawnAgent(home, { args: ['--standby'] })
  await second.printed('standing by')
  expect(await second.stop()).toEqual({ code: 0, signal: null })
  expect(second.output()).toMatch(/"stopping"[\s\S]*"stopped"/)
})

test('a call that was accepted during the start is answered, although a signal came before the start was over', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  // A file that a killed agent left behind: the start stops where it removes it, after the port was taken.
  mkdirSync(join(home.spoolDir, 'outbox'), { recursive: true })
  writeFileSync(join(home.spoolDir, 'outbox', `.${'0'.repeat(32)}.tmp`), '')
  const held = preload(`
    const { subscribe } = await import('node:diagnostics_channel')
    subscribe('http.server.request.start', ({ request }) => request.url === '/call' && fs.writeSync(2, 'accepted'))
    const unlink = fs.unlink
    fs.unlink = (...args) => {
      process.once('SIGUSR2', () => unlink(...args))
      fs.writeSync(2, 'held;')
    }
    const { Server } = await import('node:net')
    const listen = Server.prototype.listen
    Server.prototype.listen = function (...args) {
      return listen.apply(this, args).once('listening', () => fs.writeSync(2, 'port=' + this.address().port + ';'))
    }
  `)
  await using agent = spawnAgent(home, { env: spoolOf(home), nodeArgs: held })
  await agent.printed('held;')
  const port = /port=(\d+);/.exec(agent.output())?.[1]
  const answered = fetch(`http://127.0.0.1:${port}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"operation":"market.eligibility","input":{"characterRef":"char-1"}}',
  })
  await agent.printed('accepted')
  process.kill(agent.pid, 'SIGTERM')
  await agent.printed('"msg":"stopping"')
  process.kill(agent.pid, 'SIGUSR2')
  expect(await (await answered).json()).toMatchObject({ ok: true })
  expect(await agent.ended).toEqual({ code: 0, signal: null })
  expect(agent.output().trimEnd()).toMatch(/"msg":"stopped"\}$/)
})
