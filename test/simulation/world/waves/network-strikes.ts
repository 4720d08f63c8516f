import type { Network } from '../../network/network.ts'
import { type ModelPlatform, platformAddress } from '../model-platform.ts'
import { afterLostStocks } from './platform-strikes.ts'
import { hushOften, type WaveTime } from './wave-time.ts'

const lossFaults = ['answer dropped', 'reset after it arrived', 'answer replaced', 'intermediary gives up'] as const
const lossMs = { min: 2_000, max: 15_000 }

/** For a while the platform acts, and its answers are lost. A call may end in doubt. */
export function loseAnswers(network: Network, time: WaveTime): void {
  const { random, within, later } = time
  within(lossMs.max, 'answers of the platform are lost', () => {
    const fault = random.pick(lossFaults)
    const stopLosing = network.faults.add({ fault, address: platformAddress, rate: random.pick([0.5, 1]), random })
    later(lossMs, 'no answer of the platform is lost any more', stopLosing)
    hushOften(time)
  })
}

/** A lost stock must be sent again after 43 s. */
const turnedAwayMs = { min: 40_000, max: 44_000 }

/** A proxy lets nothing through to the platform. Its pages end nothing that must be sent again. */
export function turnAway(network: Network, time: WaveTime, { platform }: { readonly platform: ModelPlatform }): void {
  const { random, later } = time
  afterLostStocks(platform, time, turnedAwayMs.max, 'a proxy lets nothing through', () => {
    const letThrough = network.faults.add({ fault: 'turned away', address: platformAddress, rate: 1, random })
    later(turnedAwayMs, 'the proxy lets everything through', letThrough)
    hushOften(time)
  })
}
