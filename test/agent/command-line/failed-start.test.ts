import { expect, test } from 'vitest'
import { explainFailedStart } from '../../../agent/command-line/failed-start.ts'
import { StoreFullError, StoreUnreachableError } from '../../../agent/database/store-errors.ts'

const config = { host: '127.0.0.1', port: 80, webhook: undefined }
const refused = (code: string) => Object.assign(new Error(code), { code, syscall: 'listen', port: 80 })

test('a port that needs a right has another message than one that is taken', () => {
  expect(explainFailedStart(refused('EACCES'), config)).toEqual({
    message:
      'SERVICE_AGENT_PORT: port 80 on 127.0.0.1 cannot be opened (EACCES). Set SERVICE_AGENT_PORT to 1024 or above',
    exitCode: 2,
  })
  expect(explainFailedStart(refused('EADDRINUSE'), config).message).toMatch(
    /Stop the program that has this port, or set SERVICE_AGENT_PORT to a free port$/,
  )
})

test.each([
  ['is away', new StoreUnreachableError('the store was not reached yet')],
  ['is full', new StoreFullError('53100', undefined, 'SERVICE_STORE_URL')],
])('a start whose shared store %s may be tried again, and the message names the database', (_, error) => {
  const { message, exitCode } = explainFailedStart(error, config)
  expect(exitCode).toBe(1)
  expect(message).toMatch(/^cannot start: .*: look at the database that SERVICE_STORE_URL names$/)
})

test.each([
  ['EIO', 'may be tried again', 1],
  ['EACCES', 'waits for a person', 2],
] as const)('a start that a file ends with %s %s', (code, _, exitCode) => {
  const error = Object.assign(new Error(`${code}: stat '/var/state'`), { code, syscall: 'stat' })
  expect(explainFailedStart(error, config)).toMatchObject({
    message: expect.stringMatching(/^cannot start: E\w+: stat '\/var\/state': \w/),
    exitCode,
  })
})
