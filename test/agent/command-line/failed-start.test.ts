import { expect, test } from 'vitest'
import { explainFailedStart } from '../../../agent/command-line/failed-start.ts'

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
