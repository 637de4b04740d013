import type { AuditCheck, AuditProblem } from './audit-verify.ts'

/** The lines that `threadbox audit verify` prints. */
export function describeCheck({ rows, olderRows, head, problems }: AuditCheck): string[] {
  const older = olderRows === 0 ? '' : `, and ${olderRows} from before rows had hashes`
  if (problems.length > 0)
    return [...problems.map((problem) => `✗ ${wordsOf(problem)}`), `${rows} rows were checked${older}.`]
  return [
    `✓ ${rows} rows are unchanged${older}.`,
    ...(head.seq === 0 ? [] : [`Last row: ${head.seq} ${head.hash}`]),
    'Keep its number and hash in another place: they show later that nothing before it was changed.',
  ]
}

function wordsOf({ kind, from, to, id }: AuditProblem): string {
  const rows = from === to ? `Row ${from}` : `Rows ${from} to ${to}`
  const named = id === null ? rows : `${rows} (${id})`
  const has = from === to ? 'was' : 'were'
  switch (kind) {
    case 'changed':
      return `${named} was changed.`
    case 'added':
      return `${named} was added.`
    case 'removed':
      return `${rows} ${has} removed.`
    case 'swapped':
      return `Rows ${from} and ${to} have each other’s place.`
    case 'spliced':
      return `Row ${to} doesn’t follow row ${from}: rows of two histories meet here.`
    case 'older-rows':
      return 'Rows from before rows had hashes were changed, removed or added.'
    case 'anchor':
      return 'The record of the last row that was removed for its age was changed.'
    case 'head':
      return 'The record of the last row in the database doesn’t match the rows.'
    case 'head-file':
      return 'The file audit.head is missing, was changed, or is from another history.'
  }
}
