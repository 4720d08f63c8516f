import { say } from './say.ts'

/**
 * What a person can do about each problem, for calls, spool, journal, bridge, settings and `check`. Each is an imperative
 * without a full stop, so that it follows "cure:" as well as a full stop.
 */
export const cures = {
  // Directories and disks.
  giveRights: () => say`give the agent's user the right to write and read there, and make no file there immutable`,
  raiseOpenFiles: () => say`raise the limit of open files (LimitNOFILE in systemd, ulimit -n)`,
  moveFile: () => say`move away that file, or name another directory`,
  moveDir: () => say`move away that directory`,
  shortenPath: () => say`give it a shorter path`,
  giveFile: () => say`give a file that stays there, because a reload reads it again`,
  replaceLink: () => say`put a directory in the place of the link`,
  freeSpace: () => say`free space on its disk`,
  setStoreUrl: () => say`set SERVICE_STORE_URL, or remove it`,
  lookAtAgent: () => say`look at its host and its log; it works again when it is started`,
  startWorld: () => say`start an agent that has this SERVICE_WORLD`,
  registerByAgent: () => say`register items through the agent of their game server`,
  otherDatabase: () => say`name another database in SERVICE_STORE_URL`,
  databaseInUtf8: () =>
    say`make another one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name it in SERVICE_STORE_URL`,
  makeSchema: () =>
    say`let an administrator run the output of: market-agent store schema; or give this user the right CREATE on the database`,
  turnOn: (setting: string) => say`set ${setting} = on in postgresql.conf`,
  replicateSynchronously: () =>
    say`set synchronous_standby_names, for example to 'ANY 1 (*)', and leave synchronous_commit = on`,
  keepOnePrimary: () =>
    say`stop the servers that were the primary before, at once: agents that use them know nothing about the others`,
  nameWorlds: () => say`give each agent a SERVICE_WORLD, or none`,
  moveToStore: () => say`move them with: market-agent store move --to`,
  lookAtStore: () => say`look at the database that SERVICE_STORE_URL names`,
  freeSpaceOrQuota: () => say`free space on its disk, or raise the quota`,
  lookAtDisk: () => say`look at the disk first`,
  lookAtDiskAndRights: () => say`look at its disk and its rights`,
  mountForWriting: () => say`mount it for writing, or name another directory`,
  makeParent: () => say`check that its directory exists, on a local disk`,
  makeDir: (path: string) => say`make ${path} and give it to the agent's user`,
  makeDirAgain: () => say`start the agent again: it makes what is missing`,
  removeLock: () => say`remove that file; it contains nothing else`,
  useLocalDisk: () => say`name a directory on a disk of this host`,
  shareDir: (root: string, dir: string) =>
    say`run: ${`chgrp --reference=${quoted(root)} ${quoted(dir)} && chmod g+rwxs ${quoted(dir)}`}`,
  closeDir: (path: string) => say`run: ${`chmod go-w ${quoted(path)}`}`,
  closeFile: (path: string) => say`run: ${`chmod o= ${quoted(path)}`}`,
  joinOutboxAndInbox: () => say`put outbox and inbox on one file system`,
  allowHardLinks: () =>
    say`put the spool on a file system with hard links; without them a request that comes back at a stop can replace a newer one`,

  // Names in the spool.
  renameFile: () => say`write the request under another name`,
  useRegularFile: () => say`write a request as a regular file, and remove what is not one`,
  nameRequest: () =>
    say`call a request <id>.json, in lower case, where <id> has only letters, digits, ".", "_" and "-" and begins with a letter or digit`,
  raiseWatches: () => say`on Linux raise fs.inotify.max_user_watches; nothing is lost but time`,

  // The state directory.
  beginJournal: () =>
    say`move it away to begin with an empty journal. Do not put an older copy in its place: it does not know which calls were sent since`,
  restoreJournal: () =>
    say`put it back if it was moved; else start the agent again: what was sent is forgotten, and ids of the last ten minutes are new`,
  beginLedger: () =>
    say`move it away to begin with an empty ledger, then compare the paid transactions at the platform with what the game server delivered. Do not put an older copy in its place: it does not know the orders since`,
  restoreLedger: () =>
    say`put it back if it was moved; else start the agent again, and compare the paid transactions at the platform with what the game server delivered: the orders are forgotten`,
  ownStateDir: () => say`set SERVICE_STATE_DIR to a directory of its own`,
  stopOwner: () => say`stop that agent, or give this one a SERVICE_STATE_DIR of its own`,
  startNewerVersion: () => say`start that version again`,

  // Settings.
  example: (value: string) => say`example: ${value}`,
  correctSetting: () => say`correct the setting`,
  correctLine: () => say`write NAME=value, or remove the line`,
  keepOneLine: () => say`keep one of the lines`,
  findSetting: () => say`look for its name in docs/en/operations/settings.md`,
  writeInUpperCase: () => say`write its name in upper case`,
  trustPrivateCa: () => say`trust a private CA with SERVICE_CA_FILE`,
  shortenAttempts: () => say`give an attempt at most a third of the deadline`,
  encryptOrders: () => say`use https, or a game server on this host`,

  // Ports.
  givePort: () => say`give each game server its own SERVICE_AGENT_PORT`,
  freePort: (setting: string) => say`stop the program that has this port, or set ${setting} to a free port`,
  addressOfHost: (setting: string) => say`set ${setting} to an address of this host`,
  otherPort: (setting: string) => say`set ${setting} to another port`,
  higherPort: (setting: string, portMin: number) => say`set ${setting} to ${portMin} or above`,
  runAs: (uid: number) => say`run it as that user: runuser -u "$(id -nu ${uid})" -- market-agent check`,

  // The service.
  runSystemdNotify: () =>
    say`install systemd-notify, which comes with systemd; without it use Type=exec and no WatchdogSec in the unit`,

  // The path to the platform.
  checkName: (hostname: string) =>
    say`check SERVICE_BASE_URL and the DNS of this host, for example with: nslookup ${hostname}`,
  checkAddress: () =>
    say`check host and port in SERVICE_BASE_URL, and that a firewall lets this host out; if it needs a proxy, set HTTPS_PROXY`,
  checkWhoAnswers: () =>
    say`check host and port in SERVICE_BASE_URL, and that no proxy or firewall answers in place of the platform`,
  checkPath: () => say`set SERVICE_BASE_URL as the platform's staff wrote it, with each part of its path`,
  startProxy: (host: string) =>
    say`start the proxy, or check HTTPS_PROXY; with NO_PROXY=${host} the agent goes around it`,
  allowInProxy: (host: string) =>
    say`allow ${host} in the proxy, or check HTTPS_PROXY; with NO_PROXY=${host} the agent goes around it`,
  loginToProxy: (proxy: string) => say`put user and password into HTTPS_PROXY: http://USER:PASSWORD@${proxy}`,
  trustIssuer: () =>
    say`if you expect this issuer, for example your company's proxy, name a file with its certificate (PEM) in SERVICE_CA_FILE; if not, another program answers in place of the platform`,
  useNameOfCertificate: () => say`set SERVICE_BASE_URL to the name that is in the certificate of the platform`,
  renewCertificate: () =>
    say`check the date of this host; if it is right, the platform's staff must renew the certificate`,
  allowTls: () =>
    say`check the port in SERVICE_BASE_URL, and that no firewall cuts TLS off; the agent wants TLS 1.2 or newer`,
  waitForPlatform: () => say`the next call tries again; if it lasts, ask the platform's staff`,
  askPlatform: () => say`nothing is wrong on this host; if it lasts, ask the platform's staff`,
  setClock: () => say`set the clock, and keep it right: timedatectl set-ntp true, on Windows w32tm /resync`,
  setClockOrKey: () =>
    say`set the clock, and keep it right: timedatectl set-ntp true, on Windows w32tm /resync; if the clock is right, check SERVICE_API_KEY and SERVICE_SIGNING_KID`,
  checkCredentials: (kid: string, fingerprint: string) =>
    say`check SERVICE_API_KEY, and that the platform's staff registered the key ${kid} with the fingerprint ${fingerprint}`,

  // The game server, through the webhook bridge.
  acknowledge: () => say`answer 2xx when the event is stored`,
  answerWithQuantity: () => say`answer a transfer_order with {"observedQuantity": n, "result": "DELIVERED"}`,
  correctGameServerTls: () =>
    say`give the game server a certificate for the host of SERVICE_WEBHOOK_FORWARD_URL, and name a private CA in SERVICE_CA_FILE`,
  startGameServer: () => say`start the game server, or correct SERVICE_WEBHOOK_FORWARD_URL`,
  checkTransaction: () =>
    say`check SERVICE_BASE_URL and SERVICE_API_KEY, and ask the platform's staff about the transaction`,
  checkWhoseOrder: () =>
    say`if its item is sold here, check SERVICE_BASE_URL and SERVICE_API_KEY; if not, another game server has this address for webhooks`,
  tellStaffOfEvent: () =>
    say`tell the platform's staff: the signature is valid, and the event is not one of the interface`,
  addPlatformKey: () =>
    say`if the platform has a new key, add it to SERVICE_PLATFORM_KID and SERVICE_PLATFORM_PUBLIC_KEY_FILE`,
  checkPlatformKey: () =>
    say`check that SERVICE_PLATFORM_PUBLIC_KEY_FILE has the key of this kid, and that no proxy changes bodies`,
  checkClockOfHost: () => say`nothing, if it is an old copy; if not, check the clock of this host`,
  ignoreEnvelope: () => say`nothing: the platform sends no such envelope`,
  replyOneResult: () => say`reply to an order with one result: the first one counts`,
  reportTemporary: () =>
    say`report TEMPORARY where the item exists and cannot be handed over now; a refund cannot be undone`,
  takeBack: () => say`the buyer has the item and the money: take the item back, or settle it with the buyer`,
  checkDelivered: () =>
    say`the platform says that it was delivered: check whether the buyer has the item, and give it if not`,
} as const

/** A path as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./:@%+,=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
