import type { StoreCluster } from '../../sql/store-cluster.ts'
import type { AgentHost } from '../agent-host.ts'
import { hushOften, type WaveTime } from './wave-time.ts'

const awayMs = { min: 100, max: 20_000 }

/** The store crashes and loses each commit that has not waited for the disk. It is started again, or its standby takes over. */
export function loseStore(store: StoreCluster, time: WaveTime): void {
  const { random, within, later } = time
  const comesBack = random.pick([() => store.start(), () => store.failOver()])
  within(awayMs.max, 'the store syncs no commit', () => {
    store.delaySyncs()
    later(awayMs, 'the store crashes', () => store.crash())
    later({ min: awayMs.max, max: awayMs.max }, 'the store is there again', comesBack)
    hushOften(time)
  })
}

/** The store has no room for a while. Sometimes it crashes then. It has room when it is there again. */
export function fillStore(store: StoreCluster, { random, within, later }: WaveTime): void {
  const isAlsoAway = random.happens(0.5)
  within(2 * awayMs.max, 'the store is full', () => {
    const makeRoom = store.fill()
    later(awayMs, isAlsoAway ? 'the store crashes' : 'the store has room again', () => {
      makeRoom()
      if (!isAlsoAway) return
      store.crash()
      later(awayMs, 'the store is there again', () => store.start())
    })
  })
}

/** An agent does not know whether its commits were made. */
export function loseCommits(store: StoreCluster, time: WaveTime): void {
  const { within, later } = time
  within(awayMs.max, 'some answers of the store are lost', () => {
    later(awayMs, 'no answer of the store is lost any more', store.loseAnswers())
    hushOften(time)
  })
}

/** One host cannot reach the store for a while: shorter or longer than its lease lasts. */
export function cutStoreOff(
  store: StoreCluster,
  time: WaveTime,
  { agents }: { readonly agents: readonly AgentHost[] },
): void {
  const { random, within, later } = time
  const { name } = random.pick(agents).host
  within(awayMs.max, 'the store is cut off from a host', () => {
    later(awayMs, 'the store can be reached again', store.network.wayOf(name).cut())
    hushOften(time)
  })
}
