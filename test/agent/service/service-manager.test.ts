import { pino } from 'pino'
import { expect, test } from 'vitest'
import { serviceManager } from '../../../agent/service/service-manager.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const unit = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '60000000', PATH: '/usr/bin' }

/** A daemon started by systemd, as its unit wants it. `reports` is what systemd was told. */
function setup({
  env = unit as NodeJS.ProcessEnv,
  checkAlive = async (): Promise<unknown> => undefined,
  failure = undefined as Error | undefined,
} = {}) {
  const clock = new TestClock()
  const reports: string[] = []
  const environments: Record<string, string>[] = []
  const logged: string[] = []
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) })
  const manager = serviceManager({
    env: { SERVICE_API_KEY: 'a-secret', ...env },
    clock,
    log,
    async execute(file, args, environment) {
      reports.push([file, ...args].join(' '))
      environments.push(environment)
      return failure
    },
  })
  manager.reportUp('listening', checkAlive)
  /** Lets time pass, and what it started come to its end. */
  const pass = async (ms: number) => {
    clock.advance(ms)
    await new Promise(setImmediate)
  }
  return { clock, reports, environments, logged, manager, pass }
}

test('systemd learns that the agent is ready, and three times in each watchdog period that it is alive', async () => {
  const { reports, pass } = setup()
  expect(reports).toEqual(['systemd-notify --ready --status=listening'])
  for (let third = 0; third < 3; third += 1) await pass(20_000)
  expect(reports).toEqual(['systemd-notify --ready --status=listening', ...Array(3).fill('systemd-notify WATCHDOG=1')])
})

test('an agent in standby is up and alive too, and systemd shows what it does', async () => {
  const { manager, reports, pass, clock } = setup()
  manager.reportUp('standing by', async () => undefined)
  expect(reports.at(-1)).toBe('systemd-notify --ready --status=standing by')
  await pass(20_000)
  expect(reports.slice(2)).toEqual(['systemd-notify WATCHDOG=1'])
  expect(clock.timersRunning).toBe(1)
})

test('while the journal does not answer, systemd is not told that the agent is alive', async () => {
  const hanging = setup({ checkAlive: () => new Promise(() => undefined) })
  await hanging.pass(20_000)
  await hanging.pass(20_000)
  expect(hanging.reports).toEqual(['systemd-notify --ready --status=listening'])

  let fails = true
  const failing = setup({
    checkAlive: async () => {
      if (fails) throw new Error('disk I/O error')
    },
  })
  await failing.pass(20_000)
  expect(failing.reports).toEqual(['systemd-notify --ready --status=listening'])
  expect(failing.logged.join('')).toContain('disk I/O error')
  fails = false
  await failing.pass(20_000)
  expect(failing.reports).toEqual(['systemd-notify --ready --status=listening', 'systemd-notify WATCHDOG=1'])
})

test('no secret of the environment reaches systemd-notify', () => {
  const { environments } = setup()
  expect(environments).toEqual([{ NOTIFY_SOCKET: '/run/systemd/notify', PATH: '/usr/bin' }])
})

test('an agent that systemd did not start reports nothing', async () => {
  const { reports, pass } = setup({ env: {} })
  await pass(60_000)
  expect(reports).toEqual([])
})

test('a unit without a watchdog, or with the watchdog of another process, gets only the readiness', async () => {
  for (const env of [{ NOTIFY_SOCKET: '/n' }, { ...unit, WATCHDOG_PID: '1' }]) {
    const { reports, pass } = setup({ env })
    await pass(60_000)
    expect(reports).toEqual(['systemd-notify --ready --status=listening'])
  }
})

test('a host without systemd-notify gets one warning with the cure', async () => {
  const { logged, pass } = setup({ failure: new Error('spawn systemd-notify ENOENT') })
  await pass(20_000)
  await pass(20_000)
  expect(logged).toHaveLength(1)
  expect(logged[0]).toContain('use Type=exec and no WatchdogSec')
})

test('after its end the agent reports nothing more', async () => {
  const { reports, manager, pass, clock } = setup()
  manager.close()
  await pass(60_000)
  expect(reports).toEqual(['systemd-notify --ready --status=listening'])
  expect(clock.timersRunning).toBe(0)
})
