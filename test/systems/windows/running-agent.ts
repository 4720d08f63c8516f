import { deepEqual, equal, match } from 'node:assert/strict'
import { request } from 'node:http'
import { agentHome, processPublicKey, spawnAgent } from '../../agent/fixtures/agent-process.ts'
import { FakePlatform, goodReply } from '../../agent/fixtures/fake-platform.ts'
import { pressCtrlC } from './console.ts'
import type { PromiseGroup } from './promises.ts'

const kills = 5
const eligible = ['market.eligibility', { characterRef: 'char-1' }] as const

/** Interface A. */
export const doors: PromiseGroup = {
  name: 'doors',
  async test(holds) {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    await using agent = spawnAgent(home)
    await holds('a call over HTTP is signed, sent and answered', async () => {
      const answer = await agent.call(...eligible)
      equal(answer.ok, true, JSON.stringify(answer))
      equal(platform.faults.join(), '')
    })
    const url = new URL(await agent.listening)
    await holds('the agent can be called by the name localhost', async () => {
      equal((await fetch(`http://localhost:${url.port}/health`)).status, 200)
    })
    await holds('a web page and a foreign host name are refused', async () => {
      equal((await fetch(`${url.origin}/health`, { headers: { origin: 'https://example.com' } })).status, 403)
      equal(await statusFor(url, 'example.com'), 403)
    })
    await holds('a second agent on the same port ends with exit 2 and names the setting', async () => {
      using other = agentHome(platform.url)
      const { code } = await spawnAgent(other, { env: { SERVICE_AGENT_PORT: url.port } }).ended
      equal(code, 2)
    })
    await holds('a second agent at the same state ends with exit 3 and says who has it', async () => {
      await using second = spawnAgent(home)
      equal((await second.ended).code, 3)
      match(second.output(), new RegExp(`process ${agent.pid}`))
    })
    await holds('a standby takes over when the agent is killed', async () => {
      await using standby = spawnAgent(home, { args: ['--standby'] })
      await standby.printed(/standby|standing by/i)
      await agent.kill()
      await standby.listening
      equal((await standby.call(...eligible)).ok, true)
    })
  },
}

function statusFor({ hostname, port }: URL, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, path: '/health', headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    asking.on('error', reject).end()
  })
}

/** How an agent is stopped: a person, or a service wrapper such as Shawl, presses Ctrl+C in its console. */
export const stops: PromiseGroup = {
  name: 'stops',
  async test(holds) {
    await holds('Ctrl+C lets the call that is under way end, and exit is 0', async () => {
      await using platform = await FakePlatform.start(processPublicKey)
      const { promise: isAsked, resolve: onAsked } = Promise.withResolvers<void>()
      const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
      platform.reply = async (asked) => {
        onAsked()
        await mayAnswer
        return goodReply(asked)
      }
      using home = agentHome(platform.url)
      await using agent = spawnAgent(home)
      const answered = agent.call(...eligible).catch((error: Error) => ({ ok: error.message }))
      await isAsked
      try {
        pressCtrlC(agent.pid)
        await agent.printed(/"signal":"SIGINT"/)
      } finally {
        letAnswer()
      }
      equal((await answered).ok, true)
      equal((await agent.ended).code, 0)
    })
  },
}

/** What is remembered over kills. */
export const journal: PromiseGroup = {
  name: 'journal',
  async test(holds) {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    await holds(
      `over ${kills} kills an id keeps its answer, and a call that was cut off is uncertain and acts once`,
      async () => {
        for (let kill = 1; kill <= kills; kill++) {
          const [done, cutOff] = [`done-${kill}`, `cut-off-${kill}`]
          await using agent = spawnAgent(home)
          const answer = await agent.callText('transaction.create', buying(done), done)
          const { promise: isAsked, resolve: onAsked } = Promise.withResolvers<void>()
          const { reply } = platform
          platform.reply = (asked) => {
            onAsked()
            return asked.body.includes(cutOff) ? new Promise(() => undefined) : reply(asked)
          }
          agent.call('transaction.create', buying(cutOff), cutOff).catch(() => undefined)
          await isAsked
          await agent.kill()
          platform.reply = reply
          await using next = spawnAgent(home)
          const again = JSON.parse(await next.callText('transaction.create', buying(done), done))
          deepEqual({ ...again, replayed: undefined }, { ...JSON.parse(answer), replayed: undefined })
          equal(again.replayed, true)
          const unknown = await next.call('transaction.create', buying(cutOff), cutOff)
          equal(unknown.ok || unknown['uncertain'], true, JSON.stringify(unknown))
          equal(asksFor(platform, done), 1)
          equal(asksFor(platform, cutOff), 1)
          await next.kill()
        }
      },
    )
  },
}

const buying = (itemRef: string) => ({ itemRef, quantity: 1, buyerCharacterRef: 'char-2' })

function asksFor({ requests }: FakePlatform, itemRef: string): number {
  return requests.filter(({ body }) => body.includes(`"${itemRef}"`)).length
}
