/** An observation that must be sent again, because an older one of its item may arrive late. */
export interface DueRepair {
  readonly itemRef: string
  readonly quantity: number
  /** In how many ms nothing older can arrive any more. */
  readonly dueInMs: number
}

/**
 * What repairs need of a journal. Everything that resolves survives kill -9; only `begin` survives a power cut too, because
 * a note is worth as much as the observation in it, which is not synced either.
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
