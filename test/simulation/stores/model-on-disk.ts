import type { Journal } from '../../../agent/call/open-journal.ts'
import type { RepairJournal } from '../../../agent/call/repair-journal.ts'
import type { OrderLedger } from '../../../agent/orders/order-ledger.ts'
import { DiskFaults } from '../disk/disk-faults.ts'
import { Random } from '../random.ts'
import type { ModelDatabase } from './model-database.ts'
import { newJournalDatabase, newLedgerDatabase, openModelJournal, openModelLedger } from './model-stores.ts'
import type { ModelWriterParts } from './model-writer.ts'
import type { StoreOnDisk, StoreParts } from './store-under-test.ts'
import type { VirtualProcess } from './virtual-host.ts'

export function modelJournalOnDisk(): StoreOnDisk<Journal & RepairJournal, VirtualProcess> {
  return modelOnDisk(newJournalDatabase('model'), openModelJournal)
}

export function modelLedgerOnDisk(): StoreOnDisk<OrderLedger, VirtualProcess> {
  return modelOnDisk(newLedgerDatabase(), openModelLedger)
}

function modelOnDisk<Store>(
  database: ModelDatabase,
  open: (options: StoreParts & ModelWriterParts) => Store,
): StoreOnDisk<Store, VirtualProcess> {
  const faults = new DiskFaults()
  let heal: () => void = () => undefined
  return {
    open: ({ model }, parts) => open({ ...parts, process: model, database, faults, path: '/state/model.db' }),
    async crash(how) {
      if (how === 'power cut') database.cutPower({ integer: (min) => min })
    },
    setFull(isFull) {
      heal()
      if (isFull) heal = faults.add({ calls: ['write'], codes: ['ENOSPC'], rate: 1 }, new Random('full'))
    },
    [Symbol.asyncDispose]: async () => database.close(),
  }
}
