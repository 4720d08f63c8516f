import { expect, test } from 'vitest'
import { dawnMs, type Hour, nextPhase, nightMs, type Phase, waveMs } from './world/day.ts'

const calmMs = 60_000
const day = { calmMs, afterWave: 'calm' } as const
const finished = { ...day, isFinished: true }

/** The phases of a day whose storm is over, asked once a second. */
function phasesFrom(phase: Phase, seconds: number, hour: Omit<Hour, 'nowMs'>): string[] {
  const seen: string[] = []
  for (let second = 0; second <= seconds; second++) {
    phase = nextPhase(phase, { ...hour, nowMs: second * 1_000 })
    if (seen.at(-1) !== phase.at) seen.push(phase.at)
  }
  return seen
}

test('a day in which nothing is open goes through every wave, each with a calm after it, before it is closed', () => {
  const evening = ['calm', 'wave', 'calm', 'wave', 'calm', 'wave', 'calm', 'closing', 'closed']
  expect(phasesFrom({ at: 'calm', sinceMs: 0, wavesLeft: 3 }, 600, finished)).toEqual(evening)
})

test('a night follows a wave that it is drawn for', () => {
  const wave = { at: 'wave', sinceMs: 0, wavesLeft: 0, next: 'night' } as const
  expect(phasesFrom(wave, 70, finished)).toEqual(['wave', 'night'])
  const night = { at: 'night', sinceMs: 0, wavesLeft: 0 } as const
  expect(phasesFrom(night, (nightMs + dawnMs) / 1_000, finished)).toEqual(['night', 'dawn', 'calm'])
})

test('a wave may follow another one at once, but not the last one', () => {
  const wave = { at: 'wave', sinceMs: 0, wavesLeft: 1, next: 'wave' } as const
  const second = nextPhase(wave, { ...finished, afterWave: 'wave', nowMs: waveMs })
  expect(second).toEqual({ at: 'wave', sinceMs: waveMs, wavesLeft: 0, next: 'wave' })
  expect(nextPhase(second, { ...finished, nowMs: 2 * waveMs })).toMatchObject({ at: 'calm', wavesLeft: 0 })
})

test('a hush ends with its wave. A calm follows it, or the night', () => {
  const hush = { at: 'hush', sinceMs: 0, wavesLeft: 1, next: 'calm' } as const
  expect(nextPhase(hush, { ...finished, nowMs: waveMs - 1 })).toBe(hush)
  expect(nextPhase(hush, { ...finished, nowMs: waveMs })).toEqual({ at: 'calm', sinceMs: waveMs, wavesLeft: 1 })
  expect(nextPhase({ ...hush, next: 'night' }, { ...finished, nowMs: waveMs })).toMatchObject({ at: 'night' })
})

test('a day is not closed before everything has ended. It is finished since then', () => {
  expect(phasesFrom({ at: 'closing', sinceMs: 0 }, 600, { ...day, isFinished: false })).toEqual(['closing'])
  const closed = { at: 'closed', finishedSinceMs: undefined } as const
  const since = nextPhase(closed, { ...finished, nowMs: 7 })
  expect(since).toEqual({ at: 'closed', finishedSinceMs: 7 })
  expect(nextPhase(since, { ...finished, nowMs: 9 })).toEqual(since)
  expect(nextPhase(since, { ...day, isFinished: false, nowMs: 9 })).toEqual(closed)
})
