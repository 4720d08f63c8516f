import { html } from 'hono/html'
import type { Html } from '../document.ts'

// The English texts of the page of the first sale. `en.ts` says how texts are written.

export const firstSale = {
  title: 'Your first sale',
  about:
    'Seven steps, about five minutes. A step is ticked off as soon as the platform sees it happen. Nothing has to be reloaded.',
  progress: (done: number, all: number) => `${done} of ${all} steps done`,
  choose: 'Show the commands for',
  ways: { files: 'files (sh)', examples: 'an example' },
  where: {
    started: (agentUrl: Html) =>
      html`<code>npm start</code> runs the stub and an agent (${agentUrl}). Type the commands into another terminal.`,
    own: html`<code>npm start</code> in the repository would do the first steps for you. Otherwise put <code>platform-stub</code> and <code>market-agent</code> into your <code>PATH</code>, and run the commands in one folder.`,
  },
  /** What a step is, for screen readers. */
  states: { done: 'done', now: 'now', later: 'not yet' },
  how: 'How it is done',
  example: {
    type: html`Type this into the game server. One with files reads it from <code>console.txt</code> in the folder of its world.`,
    fetched: html`Start one of these examples in another terminal, as its <code>README.md</code> says. It says <code>pronto</code>. It asks for its orders, or reads them from files:`,
    posted: (url: Html) =>
      html`Start one of these examples in another terminal, as its <code>README.md</code> says. It says <code>pronto</code>. The agent posts its orders to ${url}:`,
    wantPosted: html`For the examples that take orders by POST (Node, Java, C#, PHP), start with <code>npm start -- --forward-url http://127.0.0.1:9000/orders --forward-token segredo</code>.`,
    wantFetched: html`For the examples that ask for orders or read files (Python, Go, Lua, C++, shell, PHP with cron, Windows batch), start only <code>npm start</code>, without an option.`,
  },
  byItself: 'The game server of the example does this by itself, a second or two later.',
  steps: {
    server: {
      title: 'Register the game server',
      text: html`At the real platform the staff do this. The game server gets an API key, a key to sign with, and an address for its webhooks. <code>provision</code> registers it here and writes the settings of its agent into <code>game/</code>.`,
    },
    call: {
      title: 'Make the first signed call',
      text: html`The agent signs every call, so your game server needs no cryptography. Start it in a terminal of its own, and leave it running.`,
    },
    link: {
      title: 'Link a character',
      text: html`The seller needs an account at the platform. The game asks for a link, and the player opens it and confirms.`,
    },
    listing: {
      title: 'List an item',
      text: html`The player’s offer in the game becomes a listing with a price. Its <code>itemRef</code> is yours and is never used again.`,
    },
    purchase: {
      title: 'Buy it',
      text: html`A buyer chooses the item. The price comes from the listing, and the answer has the address at which the buyer pays.`,
    },
    payment: {
      title: 'Have it paid',
      text: html`The buyer pays on the checkout page. Then the platform sends the signed webhook <code>transfer_order</code>. The agent verifies it and keeps the order until your game server has replied.`,
    },
    delivery: {
      title: 'Deliver the item',
      text: html`Your game server needs one handler. It gives the item for a <code>transactionId</code> that it does not know yet, in one transaction of its own. Then it replies with <code>DELIVERED</code>, and the agent reports that to the platform. If the order is not there yet, ask again.`,
    },
  },
  /** What is said about steps that `npm start` does. */
  started: {
    server: html`At the real platform the staff do this. The game server gets an API key, a key to sign with, and an address for its webhooks. Here <code>npm start</code> has registered it.`,
    call: html`The agent signs every call, so your game server needs no cryptography. The agent runs already.`,
  },
  registerHere: (link: Html) =>
    html`Or ${link} in the console, and download the files of its agent. Then the stub has the signing key and can play the game server for you.`,
  registerHereLink: 'register it',
  refused: (requests: Html) =>
    html`The platform refused a signature. ${requests} says which step failed, and what to do.`,
  refusedLink: 'The list of requests',
  openLink: 'Open the player’s page',
  toApprove: html`The seller still needs an approved payout recipient. At the real platform the staff approve it.`,
  approve: 'Approve the recipient',
  buyHere: 'Or let the stub buy:',
  buyOne: 'Buy one',
  openCheckout: 'Open the checkout',
  pay: 'Pay',
  noAddress: (server: Html) => html`The webhook waits, because ${server} has no webhook URL.`,
  isOver: (transaction: Html) => html`${transaction} is over. Buy once more.`,
  deliverHere: 'Or let the stub deliver in its place:',
  deliver: 'Deliver',
  finished: {
    title: 'Sold, paid and delivered',
    text: 'That was a whole sale. The console now opens on the overview. What you could try next:',
    see: (transaction: Html) => html`See everything that happened to ${transaction}.`,
    fail: html`Let a delivery fail: reply <code>OUT_OF_STOCK</code>, and the buyer gets the money back. Reply <code>TEMPORARY</code>, and the order comes again.`,
    fault: (faults: Html) =>
      html`Lose an answer or send an order twice, with ${faults}. Kill your game server between order and delivery.`,
    faults: 'a fault',
  },
}
