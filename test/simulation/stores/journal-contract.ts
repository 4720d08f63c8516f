import { expect, test } from 'vitest'
import type { CallAnswer } from '../../../agent/call/answer.ts'
import type { IdempotencyJournal } from '../../../agent/call/idempotency-journal.ts'
import type { RepairJournal } from '../../../agent/call/repair-journal.ts'
import { freeTurn } from '../../../agent/call/turn.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { strangeTexts } from '../../agent/fixtures/strange-texts.ts'
import { type NewStore, processEnds, type StoreUnderTest } from './store-under-test.ts'

const minuteMs = 60_000
const windowMs = 10 * minuteMs
const answer: CallAnswer = { ok: true, dataText: '{"n": 1.50}' }
const refusal: CallAnswer = { ok: false, messageText: '"Não."', status: 409, uncertain: false }
const inDoubt = { answer: { ok: false, code: 'ANSWER_LOST', uncertain: true } }
const once = (id: string) => ({ id, fingerprint: `of ${id}`, operationName: 'transaction.create' })
const idempotent = (id: string) => ({ ...once(id), operationName: 'market.adjust-stock' })
const safe = (id: string) => ({ ...once(id), operationName: 'transaction.get' })
const envelope = (id: string) => ({ ...once(id), operationName: 'market.register.envelope' })

/** What every journal promises: tests that a model of it and a real one must pass alike. */
export function testJournal(name: string, newStore: NewStore<IdempotencyJournal>): void {
  const promise = (title: string, run: (journal: StoreUnderTest<IdempotencyJournal>) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      await using journal = await newStore()
      await run(journal)
    })

  promise('an id that was never stored is new', (disk) =>
    disk.run(async ({ store: journal }) => {
      expect([await journal.find('a'), await journal.findUnanswered('a'), await journal.count()]).toEqual([
        undefined,
        undefined,
        0,
      ])
    }),
  )

  for (const end of processEnds) {
    promise(`the answer of a once call survives a ${end}`, async (disk) => {
      await disk.run(async ({ store: journal }) => {
        await journal.recordIntent(once('a'))
        await journal.recordAnswer(once('a'), answer, windowMs)
        await journal.recordAnswer(envelope('b'), answer, windowMs)
      }, end)
      await disk.run(async ({ store: journal }) => {
        expect(await journal.find('a')).toMatchObject({ fingerprint: 'of a', answer })
        expect(await journal.find('b')).toMatchObject({ answer })
        expect(await journal.count()).toBe(2)
      })
    })

    promise(`a once call that was under way before a ${end} is in doubt, for one window`, async (disk) => {
      disk.unanswered.add('a')
      await disk.run(({ store: journal }) => journal.recordIntent(once('a')), end)
      for (const next of ['kill', 'kill'] as const) {
        await disk.run(async ({ store: journal, pass }) => {
          expect(await journal.find('a')).toMatchObject({ fingerprint: 'of a', ...inDoubt })
          await pass(4 * minuteMs)
        }, next)
      }
      await disk.run(async ({ store: journal, pass }) => {
        await pass(3 * minuteMs)
        expect(await journal.find('a')).toBeUndefined()
        expect(await journal.findUnanswered('a')).toMatchObject(inDoubt)
      })
    })
  }

  promise('an answer that is not synced survives a kill; a power cut may take it', async (disk) => {
    const calls = [idempotent('a'), safe('b')]
    const record = () =>
      disk.run(async ({ store: journal }) => {
        for (const call of calls) await journal.recordAnswer(call, refusal, windowMs)
      }, 'kill')
    await record()
    await disk.run(async ({ store: journal }) => {
      for (const { id } of calls) expect(await journal.find(id)).toMatchObject({ answer: refusal })
      await journal.recordAnswer(idempotent('c'), answer, windowMs)
    }, 'power cut')
    await disk.run(async ({ store: journal }) => expect(await journal.find('c')).toBeUndefined())
  })

  promise('a sync keeps all that came before it, and nothing that came after it', async (disk) => {
    await disk.run(async ({ store: journal }) => {
      await journal.recordAnswer(idempotent('before'), answer, windowMs)
      await journal.recordIntent(once('a'))
      await journal.recordAnswer(idempotent('after'), answer, windowMs)
    }, 'power cut')
    await disk.run(async ({ store: journal }) => {
      expect(await journal.find('before')).toMatchObject({ answer })
      expect(await journal.find('a')).toMatchObject(inDoubt)
      expect(await journal.find('after')).toBeUndefined()
    })
  })

  promise('a call that is not sent once leaves no intent', async (disk) => {
    await disk.run(async ({ store: journal }) => {
      await journal.recordIntent(idempotent('a'))
      expect(await journal.find('a')).toBeUndefined()
    }, 'kill')
    await disk.run(async ({ store: journal }) => expect(await journal.findUnanswered('a')).toBeUndefined())
  })

  promise('an answer takes the place of an intent and of an older answer, with a window of its own', (disk) =>
    disk.run(async ({ store: journal, pass }) => {
      await journal.recordIntent(once('a'))
      expect(await journal.find('a')).toMatchObject(inDoubt)
      await journal.recordAnswer(once('a'), refusal, minuteMs)
      await journal.recordAnswer({ ...once('a'), fingerprint: 'new' }, answer, 3 * minuteMs)
      await pass(2 * minuteMs)
      expect(await journal.find('a')).toMatchObject({ fingerprint: 'new', answer })
      await pass(2 * minuteMs)
      expect(await journal.find('a')).toBeUndefined()
    }),
  )

  promise('the window of an answered once call starts again when its answer is given late', async (disk) => {
    for (const id of ['once', 'another']) disk.unanswered.add(id)
    await disk.run(async ({ store: journal }) => {
      await journal.recordAnswer(once('once'), answer, windowMs)
      await journal.recordAnswer(idempotent('idempotent'), answer, windowMs)
      await journal.recordAnswer(once('another'), refusal, windowMs)
    }, 'kill')
    await disk.passBetween(11 * minuteMs)
    await disk.run(async ({ store: journal }) => {
      for (const id of ['once', 'idempotent', 'another', 'unknown']) await journal.restartWindow(id, answer)
    }, 'power cut')
    await disk.passBetween(9 * minuteMs)
    await disk.run(async ({ store: journal, pass }) => {
      expect(await journal.find('once')).toMatchObject({ fingerprint: 'of once', answer })
      for (const id of ['idempotent', 'another', 'unknown']) expect(await journal.find(id)).toBeUndefined()
      await pass(2 * minuteMs)
      expect(await journal.find('once')).toBeUndefined()
    })
  })

  promise('a window runs on while no process runs, and over several starts', async (disk) => {
    await disk.run(({ store: journal }) => journal.recordAnswer(once('a'), answer, windowMs), 'kill')
    for (const passedMs of [3, 3, 3].map((minutes) => minutes * minuteMs)) {
      await disk.passBetween(passedMs)
      await disk.run(async ({ store: journal }) => expect(await journal.find('a')).toMatchObject({ answer }), 'kill')
    }
    await disk.passBetween(2 * minuteMs)
    await disk.run(async ({ store: journal }) => expect(await journal.find('a')).toBeUndefined())
  })

  promise('a wall clock that is set while the journal is open changes no window', async (disk) => {
    for (const byMs of [24 * 60 * minuteMs, -24 * 60 * minuteMs]) {
      await disk.run(async ({ store: journal, pass, setWallClock }) => {
        await journal.recordAnswer(once('a'), answer, windowMs)
        setWallClock(byMs)
        await pass(4 * minuteMs)
        await journal.recordAnswer(once('b'), answer, windowMs)
      }, 'kill')
      await disk.run(async ({ store: journal, pass }) => {
        await pass(5 * minuteMs)
        expect(await journal.find('a')).toMatchObject({ answer })
        await pass(3 * minuteMs)
        expect(await journal.find('a')).toBeUndefined()
        expect(await journal.find('b')).toMatchObject({ answer })
        await pass(10 * minuteMs)
      })
    }
  })

  promise(
    'a wall clock that was set back between two processes keeps an answer for one window at most',
    async (disk) => {
      await disk.run(({ store: journal }) => journal.recordAnswer(once('a'), answer, windowMs))
      disk.setWallClock(-24 * 60 * minuteMs)
      await disk.run(async ({ store: journal, pass }) => {
        await pass(9 * minuteMs)
        expect(await journal.find('a')).toMatchObject({ answer })
        await pass(2 * minuteMs)
        expect(await journal.find('a')).toBeUndefined()
      })
    },
  )

  promise('an entry goes some time after its window, but not while its request is unanswered', async (disk) => {
    disk.unanswered.add('waiting')
    await disk.run(async ({ store: journal, pass }) => {
      for (const id of ['a', 'waiting']) await journal.recordAnswer(once(id), answer, windowMs)
      await journal.recordIntent(once('under way'))
      await pass(15 * minuteMs)
      expect(await journal.find('waiting')).toBeUndefined()
      expect(await journal.findUnanswered('waiting')).toMatchObject({ answer })
      expect(await journal.findUnanswered('under way')).toMatchObject(inDoubt)
      expect(await journal.count()).toBe(2)
    })
  })

  for (const end of processEnds) {
    promise(`an id that is forgotten after its window stays forgotten after a ${end}`, async (disk) => {
      disk.unanswered.add('a')
      await disk.run(async ({ store: journal, pass }) => {
        await journal.recordAnswer(once('a'), answer, windowMs)
        await journal.forgetEnded('a')
        expect(await journal.find('a')).toMatchObject({ answer })
        await pass(11 * minuteMs)
        await journal.forgetEnded('a')
      }, end)
      await disk.run(async ({ store: journal }) => expect(await journal.findUnanswered('a')).toBeUndefined())
    })
  }

  promise('what a journal forgot by itself does not come back under a newer request of its id', async (disk) => {
    await disk.run(async ({ store: journal }) => {
      await journal.recordAnswer(idempotent('a'), answer, windowMs)
      await journal.recordIntent(once('b'))
    }, 'kill')
    await disk.run(async ({ store: journal, pass }) => {
      await pass(12 * minuteMs)
      await journal.forgetEnded('a')
    }, 'power cut')
    await disk.run(async ({ store: journal }) => expect(await journal.findUnanswered('a')).toBeUndefined())
  })

  promise('what a killed process forgot does not come back under a newer request of its id', async (disk) => {
    await disk.run(async ({ store: journal }) => {
      await journal.recordAnswer(idempotent('a'), answer, windowMs)
      await journal.recordIntent(once('b'))
    }, 'kill')
    await disk.run(({ pass }) => pass(12 * minuteMs), 'kill')
    await disk.run(({ store: journal }) => journal.forgetEnded('a'), 'power cut')
    await disk.run(async ({ store: journal }) => expect(await journal.findUnanswered('a')).toBeUndefined())
  })

  promise('a call that ended without a stored answer makes its id new again', async (disk) => {
    await disk.run(async ({ store: journal }) => {
      await journal.recordIntent(once('a'))
      await journal.recordAnswer(idempotent('b'), answer, windowMs)
      for (const call of [once('a'), idempotent('b'), safe('never stored')]) {
        await journal.release(call)
        expect(await journal.find(call.id)).toBeUndefined()
      }
    }, 'kill')
    await disk.run(async ({ store: journal }) => {
      expect([await journal.findUnanswered('a'), await journal.findUnanswered('b')]).toEqual([undefined, undefined])
    })
  })

  promise('a full disk takes no new call, and the journal says when there is room again', (disk) =>
    disk.run(async ({ store: journal, pass, setFull, reportedFull }) => {
      await setFull(true)
      await expect(journal.recordIntent(once('a'))).rejects.toThrow(StoreFullError)
      await expect(journal.recordIntent(idempotent('a'))).rejects.toThrow(StoreFullError)
      expect(await journal.find('a')).toBeUndefined()
      await pass(10_000)
      await setFull(false)
      await pass(1_100)
      await journal.recordIntent(once('a'))
      expect(reportedFull).toEqual([true, false])
    }),
  )

  promise('a full disk gives a stored answer again', (disk) =>
    disk.run(async ({ store: journal, setFull, pass }) => {
      await journal.recordIntent(once('a'))
      await journal.recordAnswer(once('a'), answer, windowMs)
      await setFull(true)
      for (let n = 0; n < 2; n++) {
        expect(await journal.claim(once('a'), freeTurn, Number.POSITIVE_INFINITY)).toMatchObject({
          kind: 'stored',
          answer,
        })
        await expect(journal.recordIntent(once('b'))).rejects.toThrow(StoreFullError)
      }
      await setFull(false)
      await pass(1_100)
    }),
  )

  promise('ids that differ in any character are different ids', async (disk) => {
    await disk.run(async ({ store: journal }) => {
      for (const [n, id] of strangeTexts.entries()) {
        expect(await journal.find(id)).toBeUndefined()
        const call = { ...once(id), fingerprint: `of ${n}` }
        await journal.recordIntent(call)
        if (n % 2 === 0) await journal.recordAnswer(call, { ok: true, dataText: String(n) }, windowMs)
      }
    }, 'kill')
    await disk.run(async ({ store: journal }) => {
      for (const [n, id] of strangeTexts.entries()) {
        const stored = n % 2 === 0 ? { answer: { ok: true, dataText: String(n) } } : inDoubt
        expect(await journal.find(id)).toMatchObject({ fingerprint: `of ${n}`, ...stored })
      }
      expect(await journal.count()).toBe(strangeTexts.length)
    })
  })

  promise('a journal keeps its name', async (disk) => {
    const name = await disk.run(async ({ store: journal }) => journal.name, 'kill')
    expect(await disk.run(async ({ store: journal }) => journal.name, 'power cut')).toBe(name)
    expect(await disk.run(async ({ store: journal }) => journal.name)).toBe(name)
  })
}

/** A journal that notes the repairs of its only agent. */
export type NotingJournal = IdempotencyJournal & RepairJournal

/** Promises of a journal that only one agent uses: it notes repairs. It has room for the answers of calls under way. */
export function testJournalOfOneAgent(name: string, newStore: NewStore<NotingJournal>): void {
  const promise = (title: string, run: (journal: StoreUnderTest<NotingJournal>) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      await using journal = await newStore()
      await run(journal)
    })

  for (const end of processEnds) {
    promise(`how long attempts may arrive late is known after a ${end}`, async (disk) => {
      await disk.run(async ({ store: journal }) => expect(await journal.begin(32_000)).toBe(0), end)
      await disk.run(async ({ store: journal }) => {
        expect(await journal.begin(20_000)).toBe(32_000)
        await journal.endCleanly()
      })
      await disk.run(async ({ store: journal }) => expect(await journal.begin(20_000)).toBe(0))
    })
  }

  for (const end of processEnds) {
    promise(`repairs are due when they were after a ${end}, until they are made`, async (disk) => {
      await disk.run(async ({ store: journal, pass }) => {
        await journal.noteRepair({ itemRef: 'sword', quantity: 5, dueInMs: minuteMs })
        await journal.noteRepair({ itemRef: 'sword', quantity: 3, dueInMs: 2 * minuteMs })
        await journal.noteRepair({ itemRef: 'shield', quantity: 0, dueInMs: minuteMs })
        await pass(minuteMs / 2)
      }, end)
      await disk.passBetween(minuteMs / 2)
      await disk.run(async ({ store: journal }) => {
        const repairs = [...(await journal.findRepairs())].sort((one, other) => one.quantity - other.quantity)
        const rounded = repairs.map(({ dueInMs, ...repair }) => ({
          ...repair,
          dueInS: Math.round(dueInMs / 1_000) + 0,
        }))
        expect(rounded).toEqual([
          { itemRef: 'shield', quantity: 0, dueInS: 0 },
          { itemRef: 'sword', quantity: 3, dueInS: 60 },
        ])
        await journal.removeRepair('sword')
      }, end)
      await disk.run(async ({ store: journal }) =>
        expect(await journal.findRepairs()).toMatchObject([{ itemRef: 'shield' }]),
      )
    })
  }

  promise('a full disk stores the answers of calls under way', (disk) =>
    disk.run(async ({ store: journal, setFull }) => {
      await journal.recordIntent(once('under way'))
      await setFull(true)
      await expect(journal.recordIntent(once('a'))).rejects.toThrow(StoreFullError)
      await expect(journal.noteRepair({ itemRef: 'a', quantity: 1, dueInMs: 0 })).rejects.toThrow(StoreFullError)
      await journal.recordAnswer(once('under way'), answer, windowMs)
      expect(await journal.find('under way')).toMatchObject({ answer })
    }),
  )

  promise('a repair is due when it was, although the wall clock was set before an orderly end', async (disk) => {
    await disk.run(async ({ store: journal, setWallClock }) => {
      await journal.noteRepair({ itemRef: 'sword', quantity: 3, dueInMs: minuteMs })
      setWallClock(5 * minuteMs)
    })
    await disk.run(async ({ store: journal }) => {
      const [repair] = await journal.findRepairs()
      expect(Math.round((repair?.dueInMs ?? 0) / 1_000)).toBe(60)
    })
  })

  promise('a wall clock that is set while the disk is full costs no answer', async (disk) => {
    await disk.run(async ({ store: journal, setFull, setWallClock }) => {
      await journal.recordIntent(once('under way'))
      await setFull(true)
      setWallClock(5 * minuteMs)
      await expect(journal.noteRepair({ itemRef: 'a', quantity: 1, dueInMs: 0 })).rejects.toThrow(StoreFullError)
      await journal.recordAnswer(once('under way'), answer, windowMs)
    }, 'kill')
    await disk.run(async ({ store: journal }) => expect(await journal.find('under way')).toMatchObject({ answer }))
  })
}
