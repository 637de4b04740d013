import { randomId } from '../../client/random-id.ts'

/** A key for a message that stays the same when it is sent again, so that it arrives once. */
export function newMessageKey(): string {
  return randomId()
}
