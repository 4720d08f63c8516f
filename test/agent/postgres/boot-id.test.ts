import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { bootIdOf } from '../../../agent/command-line/boot-id.ts'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { LockedError } from '../../../agent/ownership/ownership.ts'
import { openStoreOf } from '../../../agent/postgres/open-shared-store.ts'
import { sharedPostgres } from '../../programs/shared-postgres.ts'
import { listLog } from '../fixtures/list-log.ts'
import { databaseOptions, newDatabase, urlOfDatabase } from '../fixtures/store-database.ts'

test('a system has one id while it runs, and none where it tells none', () => {
  expect(bootIdOf()).toMatch(/^[0-9a-f-]{36}$/)
  expect(bootIdOf()).toBe(bootIdOf())
  expect(bootIdOf('/nothing/of/this')).toBe('')
})

test('of a host and its copy, the second agent with the name is refused as on any other host', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'boot-id-'))
  const server = await sharedPostgres()
  const name = await newDatabase(server)
  const { connect } = databaseOptions(urlOfDatabase(server, name))
  const open = (bootId: string) =>
    openStoreOf(
      {
        ...{
          agentName: 'a',
          world: '',
          urlText: `postgres://postgres@127.0.0.1:${server.port}/${name}`,
          connect,
          bootId,
        },
        ...{ isStandby: false, files: hostFiles, log: listLog().log, onLeaseLost: () => undefined },
      },
      {
        ...{ stateDir: dir.path, clock: systemClock, isUnanswered: () => false, onFull: () => undefined },
        attemptLifetimeMs: 32_000,
        onFatal: (error) => expect.unreachable(error.message),
      },
    )
  const first = await open('one')
  await expect(open('other')).rejects.toThrow(LockedError)
  expect(first.mayBegin()).toBe(true)
  await first.close()
})
