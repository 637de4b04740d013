/** Where a scrolled element stands, as the browser reports it. */
export type ScrollPosition = { top: number; height: number; viewport: number }

/** Within this many pixels of the end the reader is taken to be following. */
export const followDistance = 80

export function distanceFromEnd(position: ScrollPosition): number {
  return Math.max(0, position.height - position.viewport - position.top)
}

/**
 * Whether the view goes on following the end after a scroll event. Any movement upwards by the reader lets go, however
 * small; coming back to within {@link followDistance} of the end takes hold again. Growth of the content is no movement.
 */
export function followsAfterScroll(
  isFollowing: boolean,
  { before, after }: { before: ScrollPosition; after: ScrollPosition },
): boolean {
  const hasMovedUp = after.top < before.top && after.height >= before.height && after.viewport <= before.viewport
  if (hasMovedUp) return distanceFromEnd(after) < 1
  return distanceFromEnd(after) <= followDistance ? true : isFollowing && after.top >= before.top
}

/** Where to scroll to after older rows were put above, so that nothing the reader sees moves. */
export function topAfterPrepend(before: ScrollPosition, heightAfter: number): number {
  return before.top + (heightAfter - before.height)
}
