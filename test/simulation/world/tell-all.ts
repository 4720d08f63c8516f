import type { AgentWitness } from './witnessed.ts'

/** One witness that tells several what it sees, in their order. */
export function tellAll(witnesses: readonly Partial<AgentWitness>[]): AgentWitness {
  const tell =
    <Name extends keyof AgentWitness>(name: Name) =>
    (...seen: Parameters<AgentWitness[Name]>): void => {
      for (const witness of witnesses)
        (witness as Partial<Record<Name, (...what: typeof seen) => void>>)[name]?.(...seen)
    }
  return {
    onHandedOver: tell('onHandedOver'),
    onAcknowledged: tell('onAcknowledged'),
    onWebhookRefused: tell('onWebhookRefused'),
    onWebhookDenied: tell('onWebhookDenied'),
    onNotTaken: tell('onNotTaken'),
    onStockAnswered: tell('onStockAnswered'),
    onSigned: tell('onSigned'),
    onPushed: tell('onPushed'),
    onSent(request) {
      const ends = witnesses.map((witness) => witness.onSent?.(request))
      return (result) => {
        for (const end of ends) end?.(result)
      }
    },
    onTaken: tell('onTaken'),
    onGiven: tell('onGiven'),
    onStatusGiven: tell('onStatusGiven'),
    onOrdersChecked: tell('onOrdersChecked'),
    onOrdersGiven: tell('onOrdersGiven'),
    onLogged: tell('onLogged'),
    onObservationRead: tell('onObservationRead'),
    onObserved: tell('onObserved'),
    onOpening: tell('onOpening'),
    onRenaming: tell('onRenaming'),
    onRenamed: tell('onRenamed'),
    onRemoving: tell('onRemoving'),
    onRemoved: tell('onRemoved'),
  }
}
