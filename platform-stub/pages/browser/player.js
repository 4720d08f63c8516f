// @ts-check
import { keepCopying } from './copying.js'
import { keepLive } from './live.js'
import { keepTimes } from './times.js'

// The buyer's and the player's pages. When a countdown ends, the page says what that means.
const refresh = keepLive(() => tick())
const tick = keepTimes(() => void refresh())
keepCopying()
