/** Marks a database as the stub's own (`PLST`), so that no other program's file is ever touched. */
export const applicationId = 0x504c5354

/**
 * The schema, one entry for each version; `user_version` counts those that were applied. An entry that was released is
 * never changed: what comes later is a new entry. Times are Unix ms, only `exp` is in seconds, as in the envelope.
 * Columns carry the interface's names, so that a row is the record.
 */
export const migrations: readonly string[] = [
  `
  create table platform (
    id integer primary key check (id = 1),
    clockOffsetMs integer not null,
    kid text,
    privateKeyPem text,
    publicKeyPem text
  ) strict;
  insert into platform (id, clockOffsetMs) values (1, 0);

  create table gameServers (
    id integer primary key autoincrement,
    name text not null,
    apiKey text not null unique,
    webhookUrl text,
    createdAt integer not null
  ) strict;

  create table signingKeys (
    kid text primary key,
    gameServerId integer not null references gameServers,
    publicKeyPem text not null,
    privateKeyPem text,
    createdAt integer not null
  ) strict, without rowid;

  create table replays (
    id integer primary key,
    kid text not null,
    jti text not null,
    exp real not null
  ) strict;

  create table characters (
    gameServerId integer not null references gameServers,
    characterRef text not null,
    characterName text,
    account integer not null,
    linked integer not null check (linked <= account),
    banned integer not null,
    sellingBlocked integer not null,
    recipientApproved integer not null,
    primary key (gameServerId, characterRef)
  ) strict, without rowid;

  create table characterLinks (
    id integer primary key autoincrement,
    gameServerId integer not null references gameServers,
    characterRef text not null,
    characterName text,
    token text not null unique,
    createdAt integer not null,
    expiresAt integer not null,
    usedAt integer
  ) strict;

  create table listings (
    id integer primary key autoincrement,
    gameServerId integer not null references gameServers,
    itemRef text not null,
    gameItemId text not null,
    itemName text not null,
    attributes text not null,
    unitAmountCents integer not null,
    quantityListed integer not null,
    quantitySold integer not null check (quantitySold >= 0),
    observedQuantity integer,
    observedAt integer,
    stockReports integer not null,
    status text not null check (status in ('ACTIVE', 'WITHDRAWN')),
    sellerCharacterRef text not null,
    createdAt integer not null,
    updatedAt integer not null,
    withdrawnAt integer,
    unique (gameServerId, itemRef)
  ) strict;

  create table transactions (
    id integer primary key autoincrement,
    gameServerId integer not null references gameServers,
    listingId integer not null references listings,
    quantity integer not null,
    unitAmountCents integer not null,
    buyerCharacterRef text not null,
    paymentStatus text not null,
    deliveryStatus text,
    checkoutToken text not null unique,
    createdAt integer not null,
    expiresAt integer not null,
    paidAt integer,
    deliveredAt integer,
    completedAt integer,
    failureReason text,
    failureCount integer not null,
    retryAt integer,
    check (
      (paymentStatus in ('AGUARDANDO_PAGAMENTO', 'EXPIRADO', 'CANCELADO') and deliveryStatus is null)
      or (paymentStatus = 'PAGO' and deliveryStatus in ('AGUARDANDO_SERVIDOR', 'ENTREGUE', 'FALHOU', 'EM_DISPUTA'))
      or (paymentStatus = 'ESTORNADO' and deliveryStatus in ('FALHOU', 'EM_DISPUTA'))
    )
  ) strict;

  create table transactionHistory (
    id integer primary key autoincrement,
    transactionId integer not null references transactions,
    at integer not null,
    trigger text not null,
    paymentStatus text not null,
    deliveryStatus text,
    detail text
  ) strict;
  create index transactionHistoryOf on transactionHistory (transactionId);

  create table moneyMoves (
    transactionId integer not null references transactions,
    kind text not null check (kind in ('payment', 'refund')),
    amountCents integer not null,
    at integer not null,
    primary key (transactionId, kind)
  ) strict, without rowid;

  create table dueMoves (
    transactionId integer not null references transactions,
    trigger text not null,
    dueAt integer not null,
    primary key (transactionId, trigger)
  ) strict, without rowid;
  create index dueMovesInOrder on dueMoves (dueAt, transactionId);

  create table webhookDeliveries (
    id integer primary key autoincrement,
    gameServerId integer not null references gameServers,
    transactionId integer not null references transactions,
    event text not null check (event in ('transfer_order', 'transaction_terminal')),
    payload text not null,
    state text not null check (state in ('pending', 'acknowledged', 'ended')),
    attempts integer not null,
    nextAttemptAt integer,
    createdAt integer not null,
    closedAt integer,
    check ((state = 'pending') = (nextAttemptAt is not null))
  ) strict;
  create index webhookDeliveriesDue on webhookDeliveries (gameServerId, nextAttemptAt, id) where state = 'pending';
  create index webhookDeliveriesOf on webhookDeliveries (transactionId);

  create table webhookAttempts (
    id integer primary key autoincrement,
    deliveryId integer not null references webhookDeliveries,
    number integer not null,
    at integer not null,
    durationMs integer not null,
    url text not null,
    signature text not null,
    protectedHeader text not null,
    responseStatus integer,
    responseBody text,
    failure text,
    nextAttemptAt integer
  ) strict;
  create index webhookAttemptsOf on webhookAttempts (deliveryId);
  `,
  // Faults: what happened to an attempt, and an order that is held back until its transaction is over.
  `
  alter table webhookAttempts add column fault text;
  alter table webhookDeliveries add column isHeld integer not null default 0;
  `,
  // One memory of jtis: the index says what is new.
  `
  alter table replays rename to olderReplays;
  create table replays (
    id integer primary key,
    kid text not null,
    jti text not null,
    exp real not null,
    unique (kid, jti)
  ) strict;
  insert into replays (kid, jti, exp) select kid, jti, max(exp) from olderReplays group by kid, jti order by min(id);
  drop table olderReplays;
  create index webhookDeliveriesByTime on webhookDeliveries (nextAttemptAt) where state = 'pending';
  `,
  // Webhooks that are sent once, by hand: test events, which belong to no delivery, and deliveries to another address.
  `
  create table oneOffWebhooks (
    id integer primary key autoincrement,
    gameServerId integer not null references gameServers,
    deliveryId integer references webhookDeliveries,
    event text not null check (event in ('transfer_order', 'transaction_terminal')),
    payload text not null,
    at integer not null,
    durationMs integer not null,
    url text not null,
    signature text not null,
    protectedHeader text not null,
    responseStatus integer,
    responseBody text,
    failure text
  ) strict;
  create index oneOffWebhooksOf on oneOffWebhooks (deliveryId);
  `,
  // Every header of a webhook and of its answer.
  `
  alter table webhookAttempts add column requestHeaders text;
  alter table webhookAttempts add column responseHeaders text;
  alter table oneOffWebhooks add column requestHeaders text;
  alter table oneOffWebhooks add column responseHeaders text;
  `,
  // The stock that a game server saw when it reported a failure.
  `
  alter table transactionHistory add column observedQuantity integer;
  `,
]
