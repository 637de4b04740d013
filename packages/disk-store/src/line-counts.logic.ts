/** With more changed lines, or more lines in total, counting takes long and the sizes say as much. */
const mostChanges = 1000
const mostLines = 5000

/**
 * Returns the minimum number of lines to remove and add to turn one text into the other (Myers, O(ND)). Undefined if
 * there are too many.
 */
export function changedLines(before: string, after: string): { added: number; removed: number } | undefined {
  const [one, other] = [linesOf(before), linesOf(after)]
  if (one.length > mostLines || other.length > mostLines) return undefined
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1
  let end = 0
  const isSameFromEnd = () => one[one.length - 1 - end] === other[other.length - 1 - end]
  while (end < one.length - start && end < other.length - start && isSameFromEnd()) end += 1
  const distance = distanceOf(one.slice(start, one.length - end), other.slice(start, other.length - end))
  if (distance === undefined) return undefined
  const added = (distance + other.length - one.length) / 2
  return { added, removed: distance - added }
}

/** A line includes its line break: a text without the last one differs. */
function linesOf(text: string): string[] {
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

/** The number of lines that are in only one of the two texts. */
function distanceOf(one: readonly string[], other: readonly string[]): number | undefined {
  const most = Math.min(one.length + other.length, mostChanges)
  // The furthest position on each diagonal with this many changes.
  const reached = new Int32Array(2 * most + 3)
  for (let changes = 0; changes <= most; changes += 1) {
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const [below, above] = [reached[most + diagonal] ?? 0, reached[most + diagonal + 2] ?? 0]
      const isDown = diagonal === -changes || (diagonal !== changes && below < above)
      let x = isDown ? above : below + 1
      while (x < one.length && x - diagonal < other.length && one[x] === other[x - diagonal]) x += 1
      reached[most + diagonal + 1] = x
      if (x >= one.length && x - diagonal >= other.length) return changes
    }
  }
  return undefined
}
