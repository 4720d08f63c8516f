import { auditCourse } from './audit.ts'
import type { Course } from './course.ts'
import { killAfterSave, killAgent, killBeforeReport, loseAnswers, loseReplies, repeatOldOrder } from './crash-steps.ts'
import type { Example } from './examples.ts'
import { ignoreDeadFile, refundWhileDown, refundWhilePutOff, refundWhileTaken, rejectDispute } from './refund-steps.ts'
import {
  correctStock,
  findItemGone,
  linkAndList,
  listAfterRestart,
  putOffThreeTimes,
  sellInTheGame,
  sellOne,
  withdraw,
} from './selling-steps.ts'
import { refuseOtherGameServer, refuseStranger } from './stranger-steps.ts'

/** One thing that a game server must be able to do. Its title is a promise. */
export interface CourseStep {
  readonly title: string
  readonly take: (course: Course) => Promise<void>
  /** Only these examples take it. */
  readonly isFor?: (example: Example) => boolean
}

const overFiles = ({ orders }: Example) => orders === 'files'
const pushed = ({ orders }: Example) => orders === 'pushed'
const reportsByItself = ({ reports }: Example) => reports === 'by-itself'

/** The course, in its order. */
export const steps: readonly CourseStep[] = [
  { title: 'an offer is refused, the seller is linked, the offer is listed', take: linkAndList },
  { title: 'an offer without an answer is listed after a restart', take: listAfterRestart },
  { title: 'a sale is delivered', take: sellOne },
  { title: 'stock sold inside the game is reported', take: sellInTheGame },
  { title: 'an order waits for a full mailbox, then for a lost offer, and is delivered', take: putOffThreeTimes },
  { title: 'an item that is gone is refunded, even if it comes back', take: findItemGone },
  { title: 'replies are lost, and each item is given once', take: loseReplies },
  { title: 'a game server that is killed in the middle of orders gives each item once', take: killAfterSave },
  { title: 'an order that is refunded while the game server is down gives no item', take: refundWhileDown },
  { title: 'an order that was taken and then refunded gives no item', take: refundWhileTaken, isFor: reportsByItself },
  {
    title: 'an order that is refunded while it is put off gives no item, and its units are free',
    take: refundWhilePutOff,
  },
  { title: 'an order file that a dead agent left gives no item', take: ignoreDeadFile, isFor: overFiles },
  { title: 'an item that was given before a dispute is reported after it', take: rejectDispute },
  { title: 'an order comes again, and the game server is killed before the report', take: killBeforeReport },
  { title: 'an agent is killed with orders and a call on their way', take: killAgent },
  { title: 'answers are lost', take: loseAnswers },
  { title: 'an order that is over comes again', take: repeatOldOrder },
  { title: 'an order of another game server is neither given nor reported', take: refuseOtherGameServer },
  { title: 'a stranger at the port of the game server is refused', take: refuseStranger, isFor: pushed },
  { title: 'what the platform knows about the stock is corrected', take: correctStock },
  { title: 'an offer is withdrawn', take: withdraw },
  { title: 'everything adds up', take: auditCourse },
]
