import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readSigningKey } from '../../../agent/signing/signing-key.ts'
import {
  type AgentHome,
  type AgentProcess,
  agentHome,
  processPublicKey,
  spawnAgent,
} from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { startTestAgent } from '../fixtures/test-agent.ts'

const adjust = (observedQuantity: number, itemRef = 'item-1') =>
  ['market.adjust-stock', { itemRef, observedQuantity }] as const
const observed = ({ requests }: FakePlatform) => requests.map(({ body }) => JSON.parse(body).observedQuantity)
const silence = () => new Promise<never>(() => undefined)

/** The next agent of that state directory. It runs in this process, whose time the test moves. */
function startNext(home: AgentHome, platform: FakePlatform) {
  const { SERVICE_SIGNING_KEY_FILE: keyFile = '', SERVICE_SIGNING_KID: kid = '' } = home.env
  return startTestAgent(platform.url, {
    stateDir: home.stateDir,
    signingKey: readSigningKey(readFileSync(keyFile, 'utf8'), kid),
  })
}

/** A platform that is silent about observations of 5. */
async function startPlatform(): Promise<FakePlatform> {
  const platform = await FakePlatform.start(processPublicKey)
  const good = platform.reply
  platform.reply = (request) => (JSON.parse(request.body).observedQuantity === 5 ? silence() : good(request))
  return platform
}

/** An agent that lost the answer to an observation of 5 and has 3 accepted after it. */
async function startAfterLoss(home: AgentHome): Promise<AgentProcess> {
  const agent = spawnAgent(home, { env: { SERVICE_CALL_DEADLINE_MS: '1000' } })
  expect(await agent.call(...adjust(5))).toMatchObject({ ok: false, uncertain: true })
  expect(await agent.call(...adjust(3))).toMatchObject({ ok: true })
  return agent
}

const lifetimeMs = 43_000

test('an observation that kill -9 left on its way is repaired after a newer one, which goes at once', async () => {
  await using platform = await startPlatform()
  using home = agentHome(platform.url)
  await using first = spawnAgent(home)
  const cut = expect(first.callText(...adjust(5))).rejects.toThrow()
  await platform.arrived(1)
  await first.kill()
  await cut
  await using second = await startNext(home, platform)
  expect(await second.call(...adjust(3))).toMatchObject({ ok: true })
  second.clock.advance(lifetimeMs - 1)
  await new Promise(setImmediate)
  expect(observed(platform)).toEqual([5, 3])
  second.clock.advance(1)
  await platform.arrived(3)
  expect(observed(platform)).toEqual([5, 3, 3])
})

test('a repair that was due is made after kill -9, although nobody calls any more', async () => {
  await using platform = await startPlatform()
  using home = agentHome(platform.url)
  await using first = await startAfterLoss(home)
  await first.kill()
  await using second = await startNext(home, platform)
  second.clock.advance(lifetimeMs)
  await platform.arrived(3)
  expect(observed(platform)).toEqual([5, 3, 3])
})

test('a repair that was due is made after a stop too, and what was only lost is expected still', async () => {
  await using platform = await startPlatform()
  using home = agentHome(platform.url)
  await using first = await startAfterLoss(home)
  expect(await first.call(...adjust(5, 'item-2'))).toMatchObject({ ok: false, uncertain: true })
  expect(await first.stop()).toMatchObject({ code: 0 })
  await using second = await startNext(home, platform)
  expect(await second.call(...adjust(2, 'item-2'))).toMatchObject({ ok: true })
  second.clock.advance(lifetimeMs)
  await platform.arrived(6)
  expect(observed(platform).slice(0, 4)).toEqual([5, 3, 5, 2])
  expect(observed(platform).slice(4).sort()).toEqual([2, 3])
})

test('after a stop with nothing on its way no observation is sent again', async () => {
  await using platform = await startPlatform()
  using home = agentHome(platform.url)
  await using first = spawnAgent(home)
  expect(await first.call(...adjust(4))).toMatchObject({ ok: true })
  expect(await first.stop()).toMatchObject({ code: 0 })
  await using second = await startNext(home, platform)
  expect(await second.call(...adjust(3))).toMatchObject({ ok: true })
  second.clock.advance(3 * lifetimeMs)
  // After a repair in the queue, if there were one.
  expect(await second.call('market.withdraw', { itemRef: 'item-1' })).toMatchObject({ ok: true })
  expect(observed(platform)).toEqual([4, 3, undefined])
})
