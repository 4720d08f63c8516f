/** The fields of a transaction as the platform shows it. */
export type ShownFields = Readonly<Record<string, unknown>>

/**
 * The first field that the platform shows with another value than the event. Fields that it does not show are not
 * compared.
 */
export function contradiction<Event extends ShownFields>(
  shown: ShownFields,
  event: Event,
  names: readonly (keyof Event & string)[],
) {
  const isShown = (name: string) => shown[name] !== undefined && (shown[name] !== null || name === 'deliveryStatus')
  return names.find((name) => isShown(name) && shown[name] !== event[name])
}
