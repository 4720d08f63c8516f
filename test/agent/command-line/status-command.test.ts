import { expect, test } from 'vitest'
import { commandOutput } from '../fixtures/command-output.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

/** `market-agent status` of a daemon. */
function status(url: string, ...args: string[]) {
  const { hostname, port } = new URL(url)
  return commandOutput(['status', ...args], { SERVICE_AGENT_HOST: hostname, SERVICE_AGENT_PORT: port })
}

test('market-agent status prints how the daemon is: one line for each thing, aligned, without colours', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const before = await status(agent.url)
  expect(before).toMatchObject({ code: 0, stderr: '' })
  expect(before.stdout).toMatch(/^market-agent \S+: not ready\n {2}! no answer from the platform to a signed call yet/)

  const headers = { date: new Date(agent.clock.wallMs() + 90_000).toUTCString() }
  platform.otherwise = { status: 200, headers, body: goodBodies['market.eligibility'] ?? '' }
  await agent.call('market.eligibility', goodInputs['market.eligibility'])
  agent.clock.advance(7_260_000)
  const { stdout } = await status(agent.url)
  expect(stdout).toMatch(/^market-agent \S+: ready\n {2}up {11}2 h 1 min, since 2026-/)
  expect(stdout).toContain(`\n  platform     ${new URL(platform.url).host}, last contact 2 h 1 min ago\n`)
  expect(stdout).toContain("\n  clock        1 min 30 s behind the platform's\n")
  expect(stdout).toContain('\n  since start  1 ok, 0 refused, 0 uncertain\n')
  expect(stdout).not.toContain('\u001b')
  expect(JSON.parse((await status(agent.url, '--json')).stdout)).toMatchObject({ ready: true })
})

test('market-agent status ends with 1 where no daemon answers', async () => {
  expect(await status('http://127.0.0.77:9')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'No market-agent answers at 127.0.0.77:9 (ECONNREFUSED). Start it with: market-agent run\n',
  })
})

test('a command without the token of the daemon ends with 1 and says which settings it needs', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9', { token: 'a-token-of-the-test' })
  const { code, stderr } = await status(agent.url)
  expect(code).toBe(1)
  expect(stderr).toContain('set SERVICE_AGENT_TOKEN or SERVICE_AGENT_TOKEN_FILE')
})
