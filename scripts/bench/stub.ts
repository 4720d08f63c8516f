import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskInWords } from './disk-speed.ts'
import type { Section } from './section.ts'
import { measureColdStarts } from './stub/cold-starts.ts'
import { writeDocument } from './stub/contenders.ts'
import { measureLoad } from './stub/measure-load.ts'
import { installedPrism } from './stub/prism.ts'
import { stubReport } from './stub/report.ts'

/** The platform's stub beside a mock server of the same document, which neither verifies nor stores. */
export const stub: Section = {
  name: 'stub',
  title: 'The stub beside Prism',
  async run(settings) {
    const { stubCommand, inFlight, progress } = settings
    const program = installedPrism(progress)
    const dir = mkdtempSync(join(tmpdir(), 'platform-stub-bench-'))
    const clear = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    process.once('exit', clear)
    try {
      const ground = { stubCommand, prism: { program, document: writeDocument(stubCommand, dir) }, dir }
      const load = await measureLoad(ground, settings)
      const coldStartsMs = await measureColdStarts(ground, settings)
      return stubReport({ inFlight, ...load, coldStartsMs, disk: diskInWords(dir) })
    } finally {
      clear()
      process.off('exit', clear)
    }
  },
}
