import type { Network } from '../../network/network.ts'
import { platformAddress } from '../model-platform.ts'
import type { WaveTime } from './wave-time.ts'

const lossFaults = ['answer dropped', 'reset after it arrived', 'answer replaced', 'intermediary gives up'] as const
const lossMs = { min: 2_000, max: 15_000 }

/** For a while the platform acts, and its answers are lost. A call may end in doubt. */
export function loseAnswers(network: Network, { random, within, later }: WaveTime): void {
  within(lossMs.max, 'answers of the platform are lost', () => {
    const fault = random.pick(lossFaults)
    const stopLosing = network.faults.add({ fault, address: platformAddress, rate: random.pick([0.5, 1]), random })
    later(lossMs, 'no answer of the platform is lost any more', stopLosing)
  })
}
