import type { Journal } from '../../../agent/call/open-journal.ts'
import type { RepairJournal } from '../../../agent/call/repair-journal.ts'
import type { OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { DiskFaults } from '../disk/disk-faults.ts'
import { Random } from '../random.ts'
import type { CommitLog } from './commit-log.ts'
import { newJournalLog, openModelJournal } from './model-journal.ts'
import { newLedgerLog, openModelLedger } from './model-ledger.ts'
import type { ModelWriterParts } from './model-writer.ts'
import type { StoreOnDisk, StoreParts } from './store-under-test.ts'
import type { VirtualProcess } from './virtual-host.ts'

export function modelJournalOnDisk(): StoreOnDisk<Journal & RepairJournal, VirtualProcess> {
  return modelOnDisk(newJournalLog('model'), openModelJournal)
}

export function modelLedgerOnDisk(): StoreOnDisk<OrderLedger, VirtualProcess> {
  return modelOnDisk(newLedgerLog(), openModelLedger)
}

function modelOnDisk<Rows, Store>(
  log: CommitLog<Rows>,
  open: (options: StoreParts & ModelWriterParts<Rows>) => Store,
): StoreOnDisk<Store, VirtualProcess> {
  const faults = new DiskFaults()
  let heal: () => void = () => undefined
  return {
    open: ({ model }, parts) => open({ ...parts, process: model, log, faults, path: '/state/model.db' }),
    async crash(how) {
      if (how === 'power cut') log.cutPower({ integer: (min) => min })
    },
    setFull(isFull) {
      heal()
      if (isFull) heal = faults.add({ calls: ['write'], codes: ['ENOSPC'], rate: 1 }, new Random('full'))
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}
