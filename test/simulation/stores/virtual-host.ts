import { type Clock, clockOver } from '../../../agent/clock/clock.ts'
import { startHost } from '../fixtures/start-host.ts'
import type { ModelProcess } from '../process.ts'
import type { StoreHost } from './store-under-test.ts'

/** A process of a model host, whose time is virtual. */
export interface VirtualProcess {
  readonly clock: Clock
  readonly model: ModelProcess
}

/** A host whose time passes at once. */
export function virtualHost(): StoreHost<VirtualProcess> {
  const { host, run } = startHost()
  return {
    run: (script) => run(({ process }) => script({ clock: clockOver(process.time), model: process })),
    pass: ({ clock }, ms) => clock.sleep(ms),
    setWallClock: (byMs) => host.clock.setWall(byMs),
  }
}
