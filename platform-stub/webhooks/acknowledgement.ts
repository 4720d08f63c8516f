/** Whether a receiver's status ends the delivery. @see interface section 6, delivery rules */
export function isAcknowledgement(status: number): boolean {
  return status >= 200 && status < 300
}
