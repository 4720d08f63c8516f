import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { refuse } from '../../../agent/call/answer.ts'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { readRequestFile } from '../../../agent/spool/request-file.ts'
import { eligible } from '../fixtures/spool-fixture.ts'

const moduleOf = (path: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../agent', path)).href)

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-request-file-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

/** Read by a process of its own: one that waits on a pipe waits for good. */
function readingOf(path: string): unknown {
  const program = `
    import { hostFiles } from ${moduleOf('durable-files/host-files.ts')}
    import { readRequestFile } from ${moduleOf('spool/request-file.ts')}
    console.log(JSON.stringify(readRequestFile(hostFiles, ${JSON.stringify(path)}, 'x')))`
  const args = ['--input-type=module-typescript', '--eval', program]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 }))
}

const notRegular = {
  kind: 'refused',
  answer: JSON.parse(JSON.stringify(refuse('FILE_NOT_REGULAR'))),
  reason: 'not-regular',
}

// Names are looked at before they are claimed; these are what became of them since.

test('a claim that has become a link is refused, and what it points to is not read', () => {
  const dir = directory()
  writeFileSync(join(dir, 'elsewhere'), JSON.stringify(eligible))
  symlinkSync(join(dir, 'elsewhere'), join(dir, 'claim'))
  expect(readingOf(join(dir, 'elsewhere'))).toMatchObject({ kind: 'call' })
  expect(readingOf(join(dir, 'claim'))).toEqual(notRegular)
})

test('a claim that has become a pipe is refused without waiting on it', () => {
  const pipe = join(directory(), 'claim')
  execFileSync('mkfifo', [pipe])
  expect(readingOf(pipe)).toEqual(notRegular)
})

const bytes = 60_000
const parts = fc.array(fc.constantFrom('"', '\\', '\\"', '{', '}', '[', ']', ',', ':', ' ', '\n', '0', 'a', '\\u00'), {
  minLength: 1,
  maxLength: 4,
})

/**
 * CPU time in µs, the best of three: what else this process does is not in it. It is at least a millisecond, because
 * some machines count nothing for a shorter time.
 */
function cpuUsOf(act: () => void): number {
  const once = () => {
    const before = process.cpuUsage()
    act()
    return process.cpuUsage(before).user
  }
  return Math.max(1000, Math.min(once(), once(), once()))
}

test('a half-written file of 60 KB costs about as much as a whole one, whatever is in it', () => {
  const path = join(directory(), 'claim')
  const costOf = (text: string, kinds: RegExp) => {
    writeFileSync(path, text)
    expect(readRequestFile(hostFiles, path, 'x')).toMatchObject({ kind: expect.stringMatching(kinds) })
    return cpuUsOf(() => readRequestFile(hostFiles, path, 'x'))
  }
  const whole = costOf(JSON.stringify({ ...eligible, text: 'a'.repeat(bytes) }), /call/)
  fc.assert(
    fc.property(fc.constantFrom('', '{', '{"text":"'), parts, (begin, [...some]) => {
      const part = some.join('')
      // A quadratic reading is some thousand times as expensive.
      const cost = costOf(begin + part.repeat(bytes / part.length), /half-written|refused/)
      expect(cost / whole).toBeLessThan(50)
    }),
    {
      examples: [
        ['{"text":"', ['\\"']],
        ['', ['"', '\\']],
      ],
      numRuns: 50,
    },
  )
})
