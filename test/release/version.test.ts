import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { binaryPrograms } from '../../scripts/programs.ts'
import { readBuildVersion, versionFrom } from '../../scripts/release/version.ts'

const source = { packageVersion: '0.1.0', tag: undefined, commit: '0a1b2c3d4e5f', isDirty: false }

test('a build of a tag is called like the tag, another one like its commit', () => {
  expect(versionFrom({ ...source, tag: 'v1.2.0' })).toBe('1.2.0')
  expect(versionFrom({ ...source, tag: 'v1.3.0-rc.1' })).toBe('1.3.0-rc.1')
  expect(versionFrom(source)).toBe('0.1.0+g0a1b2c3d4e5f')
})

test('a build with changes that no commit has says so, at a tag too', () => {
  expect(versionFrom({ ...source, isDirty: true })).toBe('0.1.0+g0a1b2c3d4e5f.dirty')
  expect(versionFrom({ ...source, tag: 'v1.2.0', isDirty: true })).toBe('0.1.0+g0a1b2c3d4e5f.dirty')
})

test('both executables say which commit they were built from', () => {
  const expected = readBuildVersion().version
  for (const program of [binaryPrograms.agent, binaryPrograms.stub]) {
    const [file = ''] = program
    const printed = execFileSync(file, ['--version'], { encoding: 'utf8' }).trim()
    // The commit may have changed since the build, its form has not.
    const withoutCommit = (version: string) => version.replace(/\+g[0-9a-f]{12}(\.dirty)?$/, '+commit')
    expect(withoutCommit(printed)).toBe(withoutCommit(expected))
  }
})
