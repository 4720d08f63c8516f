// @ts-check
import { keepActs } from './acts.js'
import { keepCopying } from './copying.js'
import { keepLive } from './live.js'
import { keepTimes } from './times.js'

const refresh = keepLive(() => tick())
const tick = keepTimes(() => undefined)
keepCopying()
keepActs(refresh)
