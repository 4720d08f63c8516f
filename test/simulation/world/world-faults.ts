import type { PlatformOperationName } from '../../../contract/operations.ts'
import type { PartnerFault } from '../../../platform-stub/faults/partner-fault.ts'
import type { WebhookFault } from '../../../platform-stub/faults/webhook-fault.ts'
import type { FaultKind } from '../faults/fault.ts'
import type { Program } from '../host.ts'
import type { Random } from '../random.ts'
import type { Credential, ModelAgent } from './agent-program.ts'
import type { Quirks } from './game/quirks.ts'
import type { ModelPlatform } from './model-platform.ts'

/** What these faults strike. */
export interface WorldTargets {
  readonly platform: ModelPlatform
  readonly agents: readonly ModelAgent[]
  /** The programs of the game servers. */
  readonly games: readonly Program[]
  readonly quirks: readonly Quirks[]
}

const secondMs = 1_000
const minuteMs = 60 * secondMs

/** What goes wrong with the platform, the game servers and the configuration. */
export const worldFaults: readonly FaultKind<WorldTargets>[] = [
  { part: 'platform', name: 'killed', lastsMs: [10, minuteMs], strike: killPlatform },
  { part: 'platform', name: 'paused', lastsMs: [10, minuteMs], strike: pausePlatform },
  {
    part: 'platform',
    name: 'too many requests',
    lastsMs: [secondMs, minuteMs],
    strike: partner((random) => ({
      kind: 'status',
      status: 429,
      retryAfterSeconds: random.pick([
        0,
        random.integer(0, 30),
        random.integer(20, 120),
        random.integer(20, 120),
        86_400,
      ]),
    })),
  },
  {
    part: 'platform',
    name: 'answers 5xx and does nothing',
    lastsMs: [secondMs, minuteMs],
    strike: partner((random) => ({
      kind: 'status',
      ...random.pick([{ status: 500 }, { status: 502 }, { status: 503 }, { status: 503, retryAfterSeconds: 3 }]),
    })),
  },
  {
    part: 'platform',
    name: 'answers 4xx that may be tried again',
    lastsMs: [secondMs, minuteMs],
    strike: partner((random) => ({ kind: 'status', status: random.pick([408, 425]) })),
  },
  {
    part: 'platform',
    name: 'refuses valid signatures',
    lastsMs: [secondMs, minuteMs],
    strike: partner(() => ({ kind: 'status', status: 401 })),
  },
  {
    part: 'platform',
    name: 'does not know what it knows',
    lastsMs: [secondMs, minuteMs],
    strike: partner((random) => ({ kind: 'status', status: random.pick([403, 404]) })),
  },
  { part: 'platform', name: 'shows other items', lastsMs: [secondMs, minuteMs], strike: turnOn('confusing') },
  {
    part: 'platform',
    name: 'refuses what is said about a failure',
    lastsMs: [secondMs, minuteMs],
    strike: partner((random) => ({
      kind: 'status',
      operation: 'transaction.delivery-failure',
      status: random.pick([400, 413, 422]),
    })),
  },
  { part: 'platform', name: 'acts and answers 500', lastsMs: [secondMs, minuteMs], strike: turnOn('failing') },
  {
    part: 'platform',
    name: 'acts and hangs up',
    lastsMs: [secondMs, minuteMs],
    strike: partner((random) => ({ kind: random.pick(['hang-up-after', 'truncate'] as const) })),
  },
  {
    part: 'platform',
    name: 'is late',
    lastsMs: [secondMs, minuteMs],
    strike: partner((random) => ({ kind: 'delay', delayMs: Math.round(random.magnitude(100, 20_000)) })),
  },
  {
    part: 'webhooks',
    name: 'come twice',
    lastsMs: [secondMs, minuteMs],
    strike: webhook(() => ({ kind: 'duplicate', copies: 2 })),
  },
  {
    part: 'webhooks',
    name: 'are not signed as they must be',
    lastsMs: [secondMs, minuteMs],
    strike: webhook((random) => ({ kind: random.pick(['wrong-kid', 'expired', 'altered-body'] as const) })),
  },
  {
    part: 'webhooks',
    name: 'are late',
    lastsMs: [secondMs, minuteMs],
    strike: webhook((random) => ({ kind: 'delay', delayMs: Math.round(random.magnitude(100, 60_000)) })),
  },
  {
    part: 'webhooks',
    name: 'lose their answers',
    lastsMs: [secondMs, minuteMs],
    strike: webhook(() => ({ kind: 'drop-response' })),
  },
  { part: 'webhooks', name: 'reach every game server', lastsMs: [secondMs, minuteMs], strike: turnOn('misrouting') },
  { part: 'game server', name: 'is down', lastsMs: [minuteMs, 10 * minuteMs], strike: stopGame },
  { part: 'game server', name: 'is slow', lastsMs: [secondMs, 10 * minuteMs], strike: quirk('isSlow') },
  {
    part: 'game server',
    name: 'replies with garbage',
    lastsMs: [secondMs, 2 * minuteMs],
    strike: quirk('saysGarbage'),
  },
  { part: 'game server', name: 'replies twice', lastsMs: [secondMs, 2 * minuteMs], strike: quirk('repeatsReplies') },
  { part: 'game server', name: 'writes in place', lastsMs: [secondMs, 2 * minuteMs], strike: quirk('writesInPlace') },
  { part: 'game server', name: 'reads no answers', lastsMs: [secondMs, 5 * minuteMs], strike: quirk('readsNothing') },
  { part: 'configuration', name: 'signing key rotated', lastsMs: [1, 1], strike: rotateSigningKey },
  { part: 'configuration', name: 'API key rotated', lastsMs: [1, 1], strike: rotateForAll('API key') },
  { part: 'configuration', name: 'forward token rotated', lastsMs: [1, 1], strike: rotateForAll('forward token') },
  { part: 'configuration', name: 'call token rotated', lastsMs: [1, 1], strike: rotateForAll('call token') },
  {
    part: 'configuration',
    name: 'another key of the platform',
    lastsMs: [secondMs, 2 * minuteMs],
    strike: replacePlatformKey,
  },
  { part: 'configuration', name: 'reload', lastsMs: [1, 1], strike: reload },
  { part: 'configuration', name: 'refused reload', lastsMs: [1, 1], strike: reloadInVain },
  { part: 'configuration', name: 'agent stopped and started', lastsMs: [1, 1], strike: restartAgent },
]

/** For longer than an order's file may be acted on. */
function stopGame({ games }: WorldTargets, random: Random) {
  const game = random.pick(games)
  game.process?.end()
  return () => game.start()
}

function killPlatform({ platform }: WorldTargets) {
  platform.program.process?.end()
  return () => platform.program.start()
}

function pausePlatform({ platform }: WorldTargets) {
  const { process } = platform.program
  process?.pause()
  return () => process?.resume()
}

/** `Omit` for each member of a union. */
type Without<Fault, Key extends PropertyKey> = Fault extends unknown ? Omit<Fault, Key> : never

/** A fault that means only one of these is not used up by other operations. */
const meantOperations: readonly PlatformOperationName[] = [
  'market.adjust-stock',
  'transaction.create',
  'transaction.get',
  'transaction.delivery',
  'transaction.delivery-failure',
]

/** The platform's own faults end with the process that has them. */
function partner(draw: (random: Random) => Without<PartnerFault, 'times'>) {
  return ({ platform }: WorldTargets, random: Random) => {
    const { partner: faults } = platform.composed.faults
    const meant = random.happens(0.5) ? { operation: random.pick(meantOperations) } : {}
    const { id } = faults.add({ ...meant, ...draw(random), times: random.integer(1, 10) } as PartnerFault)
    return () => faults.remove(id)
  }
}

function webhook(draw: (random: Random) => Without<WebhookFault, 'times' | 'event'>) {
  return ({ platform }: WorldTargets, random: Random) => {
    const { webhook: faults } = platform.composed.faults
    const { id } = faults.add({ ...draw(random), times: random.integer(1, 5) } as WebhookFault)
    return () => faults.remove(id)
  }
}

/** Some game servers are like this all day. */
function quirk(name: keyof Quirks) {
  return ({ quirks }: WorldTargets, random: Random) => {
    const struck = random.pick(quirks)
    if (struck[name]) return undefined
    struck[name] = true
    return () => {
      struck[name] = false
    }
  }
}

function turnOn(name: 'failing' | 'confusing' | 'misrouting') {
  return ({ platform }: WorldTargets) => {
    if (platform[name].isOn) return undefined
    platform[name].isOn = true
    return () => {
      platform[name].isOn = false
    }
  }
}

function rotateSigningKey({ agents, platform }: WorldTargets, random: Random) {
  if (platform.program.process) random.pick(agents).rotate('signing key')
  return () => undefined
}

function rotateForAll(which: Credential) {
  return ({ agents, platform }: WorldTargets, random: Random) => {
    // The platform has no part in the others.
    if (which === 'API key' && !platform.program.process) return () => undefined
    const rotated = random.pick(agents)
    rotated.rotate(which)
    // Agents of one identity must know the new one too: the old one is not valid any more.
    for (const agent of agents) if (agent !== rotated) agent.reload()
    return () => undefined
  }
}

function replacePlatformKey({ agents }: WorldTargets, random: Random) {
  const agent = random.pick(agents)
  agent.setPlatformKey('another')
  return () => agent.setPlatformKey('in use')
}

function restartAgent({ agents }: WorldTargets, random: Random) {
  random.pick(agents).restart()
  return () => undefined
}

function reloadInVain({ agents }: WorldTargets, random: Random) {
  random.pick(agents).reloadInVain(random)
  return () => undefined
}

function reload({ agents }: WorldTargets, random: Random) {
  random.pick(agents).reload()
  return () => undefined
}
