import { expect, test } from 'vitest'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import { StateLog } from '../../../agent/log/state-log.ts'
import { listLog } from '../fixtures/list-log.ts'

const full = Object.assign(new Error('full'), { code: 'ENOSPC' })

test.each([
  ['the state directory', new StoreFullError('ENOSPC', full), '/var/state cannot be written: free space on its disk'],
  [
    'the store that agents share',
    new StoreFullError('53100', full, 'SERVICE_STORE_URL'),
    'the store cannot be written: look at the database that SERVICE_STORE_URL names',
  ],
])('the status names %s while it is full', (_, cause, why) => {
  const { log, lines } = listLog()
  const stateLog = new StateLog('orders', '/var/state', log)
  stateLog.onFull(cause)
  expect(stateLog.reasons).toEqual([`orders are refused, because ${why}`])
  stateLog.onFull(undefined)
  expect(stateLog.reasons).toEqual([])
  expect(lines).toMatchObject([{ level: 'warn' }, { level: 'info', msg: 'orders are taken again' }])
})
