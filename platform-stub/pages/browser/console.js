// @ts-check
import { keepActs } from './acts.js'
import { keepCopying } from './copying.js'
import { keepLive } from './live.js'
import { keepPanels } from './panels.js'
import { keepTimes } from './times.js'

const refresh = keepLive(() => tick())
const tick = keepTimes(() => undefined)
keepCopying()
keepPanels()
keepActs(refresh)
