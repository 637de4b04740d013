export type DiffLine = {
  kind: 'added' | 'removed' | 'context' | 'hunk'
  text: string
  oldNumber: number | null
  newNumber: number | null
}

/** The numbered lines of a unified diff of one file, without the file header. */
export function diffLinesOf(diff: string): DiffLine[] {
  const lines: DiffLine[] = []
  let oldNumber = 0
  let newNumber = 0
  let isInHunk = false
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line)
    if (hunk !== null) {
      isInHunk = true
      oldNumber = Number(hunk[1])
      newNumber = Number(hunk[2])
      lines.push({ kind: 'hunk', text: (hunk[3] ?? '').trim(), oldNumber: null, newNumber: null })
      continue
    }
    if (!isInHunk || line.startsWith('\\')) continue
    const text = line.slice(1)
    if (line.startsWith('+')) lines.push({ kind: 'added', text, oldNumber: null, newNumber: newNumber++ })
    else if (line.startsWith('-')) lines.push({ kind: 'removed', text, oldNumber: oldNumber++, newNumber: null })
    else lines.push({ kind: 'context', text, oldNumber: oldNumber++, newNumber: newNumber++ })
  }
  return lines
}
