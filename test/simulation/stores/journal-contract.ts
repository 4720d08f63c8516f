import { expect, test } from 'vitest'
import type { CallAnswer } from '../../../agent/call/answer.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import type { JournalUnderTest, ProcessEnd } from './journal-under-test.ts'

const minuteMs = 60_000
const windowMs = 10 * minuteMs
const answer: CallAnswer = { ok: true, dataText: '{"n": 1.50}' }
const refusal: CallAnswer = { ok: false, messageText: '"Não."', status: 409, uncertain: false }
const inDoubt = { answer: { ok: false, code: 'ANSWER_LOST', uncertain: true } }
const once = (id: string) => ({ id, fingerprint: `of ${id}`, operationName: 'transaction.create' })
const idempotent = (id: string) => ({ ...once(id), operationName: 'market.adjust-stock' })
const safe = (id: string) => ({ ...once(id), operationName: 'transaction.get' })
const envelope = (id: string) => ({ ...once(id), operationName: 'market.register.envelope' })
const ends = ['close', 'kill', 'power cut'] as const satisfies ProcessEnd[]

/** What every journal promises: tests that a model of it and a real one must pass alike. */
export function testJournal(name: string, open: () => JournalUnderTest): void {
  const promise = (title: string, run: (journal: JournalUnderTest) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      using journal = open()
      await run(journal)
    })

  promise('an id that was never stored is new', (store) =>
    store.run(async ({ journal }) => {
      expect([await journal.find('a'), await journal.findUnanswered('a'), await journal.count()]).toEqual([
        undefined,
        undefined,
        0,
      ])
    }),
  )

  for (const end of ends) {
    promise(`the answer of a once call survives a ${end}`, async (store) => {
      await store.run(async ({ journal }) => {
        await journal.recordIntent(once('a'))
        await journal.recordAnswer(once('a'), answer, windowMs)
        await journal.recordAnswer(envelope('b'), answer, windowMs)
      }, end)
      await store.run(async ({ journal }) => {
        expect(await journal.find('a')).toMatchObject({ fingerprint: 'of a', answer })
        expect(await journal.find('b')).toMatchObject({ answer })
        expect(await journal.count()).toBe(2)
      })
    })

    promise(`a once call that was under way before a ${end} is in doubt, for one window`, async (store) => {
      store.unanswered.add('a')
      await store.run(({ journal }) => journal.recordIntent(once('a')), end)
      for (const next of ['kill', 'kill'] as const) {
        await store.run(async ({ journal, pass }) => {
          expect(await journal.find('a')).toMatchObject({ fingerprint: 'of a', ...inDoubt })
          await pass(4 * minuteMs)
        }, next)
      }
      await store.run(async ({ journal, pass }) => {
        await pass(3 * minuteMs)
        expect(await journal.find('a')).toBeUndefined()
        expect(await journal.findUnanswered('a')).toMatchObject(inDoubt)
      })
    })

    promise(`how long attempts may arrive late is known after a ${end}`, async (store) => {
      await store.run(async ({ journal }) => expect(await journal.begin(32_000)).toBe(0), end)
      await store.run(async ({ journal }) => {
        expect(await journal.begin(20_000)).toBe(32_000)
        await journal.endCleanly()
      })
      await store.run(async ({ journal }) => expect(await journal.begin(20_000)).toBe(0))
    })
  }

  promise('an answer that is not synced survives a kill; a power cut may take it', async (store) => {
    const calls = [idempotent('a'), safe('b')]
    const record = () =>
      store.run(async ({ journal }) => {
        for (const call of calls) await journal.recordAnswer(call, refusal, windowMs)
      }, 'kill')
    await record()
    await store.run(async ({ journal }) => {
      for (const { id } of calls) expect(await journal.find(id)).toMatchObject({ answer: refusal })
      await journal.recordAnswer(idempotent('c'), answer, windowMs)
    }, 'power cut')
    await store.run(async ({ journal }) => expect(await journal.find('c')).toBeUndefined())
  })

  promise('a sync keeps all that came before it, and nothing that came after it', async (store) => {
    await store.run(async ({ journal }) => {
      await journal.recordAnswer(idempotent('before'), answer, windowMs)
      await journal.recordIntent(once('a'))
      await journal.recordAnswer(idempotent('after'), answer, windowMs)
    }, 'power cut')
    await store.run(async ({ journal }) => {
      expect(await journal.find('before')).toMatchObject({ answer })
      expect(await journal.find('a')).toMatchObject(inDoubt)
      expect(await journal.find('after')).toBeUndefined()
    })
  })

  promise('a call that is not sent once leaves no intent', async (store) => {
    await store.run(async ({ journal }) => {
      await journal.recordIntent(idempotent('a'))
      expect(await journal.find('a')).toBeUndefined()
    }, 'kill')
    await store.run(async ({ journal }) => expect(await journal.findUnanswered('a')).toBeUndefined())
  })

  promise('an answer takes the place of an intent and of an older answer, with a window of its own', (store) =>
    store.run(async ({ journal, pass }) => {
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

  promise('a window runs on while no process runs, and over several starts', async (store) => {
    await store.run(({ journal }) => journal.recordAnswer(once('a'), answer, windowMs), 'kill')
    for (const passedMs of [3, 3, 3].map((minutes) => minutes * minuteMs)) {
      await store.passBetween(passedMs)
      await store.run(async ({ journal }) => expect(await journal.find('a')).toMatchObject({ answer }), 'kill')
    }
    await store.passBetween(2 * minuteMs)
    await store.run(async ({ journal }) => expect(await journal.find('a')).toBeUndefined())
  })

  promise('a wall clock that is set while the journal is open changes no window', async (store) => {
    for (const byMs of [24 * 60 * minuteMs, -24 * 60 * minuteMs]) {
      await store.run(async ({ journal, pass, setWallClock }) => {
        await journal.recordAnswer(once('a'), answer, windowMs)
        setWallClock(byMs)
        await pass(4 * minuteMs)
        await journal.recordAnswer(once('b'), answer, windowMs)
      }, 'kill')
      await store.run(async ({ journal, pass }) => {
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
    async (store) => {
      await store.run(({ journal }) => journal.recordAnswer(once('a'), answer, windowMs))
      store.setWallClock(-24 * 60 * minuteMs)
      await store.run(async ({ journal, pass }) => {
        await pass(9 * minuteMs)
        expect(await journal.find('a')).toMatchObject({ answer })
        await pass(2 * minuteMs)
        expect(await journal.find('a')).toBeUndefined()
      })
    },
  )

  promise('an entry goes some time after its window, but not while its request is unanswered', async (store) => {
    store.unanswered.add('waiting')
    await store.run(async ({ journal, pass }) => {
      for (const id of ['a', 'waiting']) await journal.recordAnswer(once(id), answer, windowMs)
      await journal.recordIntent(once('under way'))
      await pass(15 * minuteMs)
      expect(await journal.find('waiting')).toBeUndefined()
      expect(await journal.findUnanswered('waiting')).toMatchObject({ answer })
      expect(await journal.findUnanswered('under way')).toMatchObject(inDoubt)
      expect(await journal.count()).toBe(2)
    })
  })

  for (const end of ends) {
    promise(`an id that is forgotten after its window stays forgotten after a ${end}`, async (store) => {
      store.unanswered.add('a')
      await store.run(async ({ journal, pass }) => {
        await journal.recordAnswer(once('a'), answer, windowMs)
        await journal.forgetEnded('a')
        expect(await journal.find('a')).toMatchObject({ answer })
        await pass(11 * minuteMs)
        await journal.forgetEnded('a')
      }, end)
      await store.run(async ({ journal }) => expect(await journal.findUnanswered('a')).toBeUndefined())
    })
  }

  promise('a call that ended without a stored answer makes its id new again', async (store) => {
    await store.run(async ({ journal }) => {
      await journal.recordIntent(once('a'))
      await journal.release('a')
      expect(await journal.find('a')).toBeUndefined()
    }, 'kill')
    await store.run(async ({ journal }) => expect(await journal.findUnanswered('a')).toBeUndefined())
  })

  promise('repairs are due when they were, in each later process, until they are made', async (store) => {
    await store.run(async ({ journal, pass }) => {
      await journal.noteRepair({ itemRef: 'sword', quantity: 5, dueInMs: minuteMs })
      await journal.noteRepair({ itemRef: 'sword', quantity: 3, dueInMs: 2 * minuteMs })
      await journal.noteRepair({ itemRef: 'shield', quantity: 0, dueInMs: minuteMs })
      await pass(minuteMs / 2)
    }, 'kill')
    await store.passBetween(minuteMs / 2)
    await store.run(async ({ journal }) => {
      const repairs = [...(await journal.findRepairs())].sort((one, other) => one.quantity - other.quantity)
      const rounded = repairs.map(({ dueInMs, ...repair }) => ({ ...repair, dueInS: Math.round(dueInMs / 1_000) + 0 }))
      expect(rounded).toEqual([
        { itemRef: 'shield', quantity: 0, dueInS: 0 },
        { itemRef: 'sword', quantity: 3, dueInS: 60 },
      ])
      await journal.removeRepair('sword')
    }, 'kill')
    await store.run(async ({ journal }) => expect(await journal.findRepairs()).toMatchObject([{ itemRef: 'shield' }]))
  })

  promise(
    'a full disk takes no new call, stores the answers of calls under way, and says when there is room',
    (store) =>
      store.run(async ({ journal, pass, setFull, reportedFull }) => {
        await journal.recordIntent(once('under way'))
        setFull(true)
        await expect(journal.recordIntent(once('a'))).rejects.toThrow(StoreFullError)
        await expect(journal.recordIntent(idempotent('a'))).rejects.toThrow(StoreFullError)
        await expect(journal.noteRepair({ itemRef: 'a', quantity: 1, dueInMs: 0 })).rejects.toThrow(StoreFullError)
        await journal.recordAnswer(once('under way'), answer, windowMs)
        expect(await journal.find('under way')).toMatchObject({ answer })
        expect(await journal.find('a')).toBeUndefined()
        await pass(10_000)
        setFull(false)
        await pass(1_100)
        await journal.recordIntent(once('a'))
        expect(reportedFull).toEqual([true, false])
      }),
  )

  promise('a wall clock that is set while the disk is full costs no answer', async (store) => {
    await store.run(async ({ journal, setFull, setWallClock }) => {
      await journal.recordIntent(once('under way'))
      setFull(true)
      setWallClock(5 * minuteMs)
      await expect(journal.noteRepair({ itemRef: 'a', quantity: 1, dueInMs: 0 })).rejects.toThrow(StoreFullError)
      await journal.recordAnswer(once('under way'), answer, windowMs)
    }, 'kill')
    await store.run(async ({ journal }) => expect(await journal.find('under way')).toMatchObject({ answer }))
  })

  promise('a journal keeps its name', async (store) => {
    const name = await store.run(async ({ journal }) => journal.name, 'kill')
    expect(await store.run(async ({ journal }) => journal.name, 'power cut')).toBe(name)
    expect(await store.run(async ({ journal }) => journal.name)).toBe(name)
  })
}
