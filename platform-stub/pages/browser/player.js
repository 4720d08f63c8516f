// @ts-check
import { keepLive } from './live.js'
import { keepTimes } from './times.js'

// The pages of buyers and players. When a countdown ends, the page is fetched again.
const refresh = keepLive(() => tick())
const tick = keepTimes(() => void refresh())
