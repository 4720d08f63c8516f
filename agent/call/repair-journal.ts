/** An observation that must be sent again, because an older one of its item may arrive late. */
export interface DueRepair {
  readonly itemRef: string
  readonly quantity: number
  /** In how many ms nothing older can arrive any more. */
  readonly dueInMs: number
}

/**
 * What repairs need of a journal. Each method but `endCleanly` resolves when a power cut cannot undo it: an older note that
 * comes back would send an older observation over a newer one.
 */
export interface RepairJournal {
  /**
   * Notes that attempts of this process may arrive late, until `endCleanly`.
   *
   * @param lifetimeMs How long an attempt may still arrive after it began.
   * @returns The same of the last process, if it did not end cleanly; else 0.
   * @throws {StoreFullError} It could not be noted.
   */
  begin(lifetimeMs: number): Promise<number>
  /** The repairs that are noted. */
  findRepairs(): Promise<readonly DueRepair[]>
  /**
   * Notes the repair of an item in place of the one before.
   *
   * @throws {StoreFullError} It could not be noted.
   */
  noteRepair(repair: DueRepair): Promise<void>
  /** The item needs no repair. */
  removeRepair(itemRef: string): Promise<void>
  /** Nothing that this process sent can arrive late, except what the noted repairs put right. */
  endCleanly(): Promise<void>
}
