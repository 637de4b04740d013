/** A line of one of two texts. `isOwn`: the other text doesn’t have it at this position. */
export type ComparedLine = { text: string; isOwn: boolean }

/**
 * The largest middle, in pairs of lines, that is compared line by line. In a larger one every line is marked as own.
 */
const mostPairs = 4_000_000

/** Compares two texts line by line by their longest common subsequence. */
export function comparedLines(mine: string, theirs: string): { mine: ComparedLine[]; theirs: ComparedLine[] } {
  const [one, other] = [linesOf(mine), linesOf(theirs)]
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1
  let end = 0
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  const common = commonPairs(one.slice(start, one.length - end), other.slice(start, other.length - end))
  const mark = (lines: string[], shared: ReadonlySet<number>) =>
    lines.map((text, index) => ({
      text,
      isOwn: index >= start && index < lines.length - end && !shared.has(index - start),
    }))
  return { mine: mark(one, common.one), theirs: mark(other, common.other) }
}

function linesOf(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The indexes of the lines of the longest common subsequence, in each text. */
function commonPairs(one: string[], other: string[]): { one: Set<number>; other: Set<number> } {
  const found = { one: new Set<number>(), other: new Set<number>() }
  if (one.length * other.length > mostPairs) return found
  const width = other.length + 1
  const longest = new Uint32Array((one.length + 1) * width)
  const at = (row: number, column: number) => longest[row * width + column] ?? 0
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  for (let row = 0, column = 0; row < one.length && column < other.length; ) {
    if (one[row] === other[column]) {
      found.one.add(row)
      found.other.add(column)
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  }
  return found
}
