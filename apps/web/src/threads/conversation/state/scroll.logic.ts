/** The position of a scrolled element, as the browser reports it. */
export type ScrollPosition = { top: number; height: number; viewport: number }

/** Within this many pixels of the end, the reader counts as following. */
export const followDistance = 80

export function distanceFromEnd(position: ScrollPosition): number {
  return Math.max(0, position.height - position.viewport - position.top)
}

/**
 * True if the view still follows the end after a scroll event. Any upward movement by the reader stops it, however
 * small; scrolling back to within {@link followDistance} of the end resumes it. Growth of the content doesn’t count as
 * movement.
 */
export function followsAfterScroll(
  isFollowing: boolean,
  { before, after }: { before: ScrollPosition; after: ScrollPosition },
): boolean {
  const hasMovedUp = after.top < before.top && after.height >= before.height && after.viewport <= before.viewport
  if (hasMovedUp) return distanceFromEnd(after) < 1
  return distanceFromEnd(after) <= followDistance ? true : isFollowing && after.top >= before.top
}

/** The position that keeps visible rows in place after older rows were added above. */
export function topAfterPrepend(before: ScrollPosition, heightAfter: number): number {
  return before.top + (heightAfter - before.height)
}
