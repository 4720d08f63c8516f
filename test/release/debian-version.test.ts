import { expect, test } from 'vitest'
import { debianVersion } from '../../scripts/release/debian-package.ts'

const commitTimeS = Date.UTC(2026, 10, 22, 8, 38, 49) / 1000

test('a release has the version of its tag; a preview comes before it in the order of dpkg', () => {
  expect(debianVersion({ version: '1.2.0', commitTimeS })).toBe('1.2.0')
  // dpkg sorts ~ before the end of the text.
  expect(debianVersion({ version: '1.2.0-rc.1', commitTimeS })).toBe('1.2.0~rc.1')
})

test('packages of two commits are in the order of the commits', () => {
  const older = debianVersion({ version: '0.1.0+gffffffffffff', commitTimeS })
  const newer = debianVersion({ version: '0.1.0+g000000000000', commitTimeS: commitTimeS + 1 })
  expect(older).toBe('0.1.0+20261122083849.gffffffffffff')
  expect(older < newer).toBe(true)
})
