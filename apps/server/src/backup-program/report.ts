import type { LostFile, Manifest, Pruned, VerifiedBackup, WrittenBackup } from '@threadbox/backups'

/** What the commands print. */
export function writtenLines({ name, files, totalBytes, storedBytes, leftOut }: WrittenBackup): string[] {
  const stored = `${megabytes(storedBytes)} stored for ${megabytes(totalBytes)} in ${files} files`
  return [`Backup ${name}: ${stored}`, ...(leftOut === 0 ? [] : [`Not in it: ${leftOut} things; list shows them`])]
}

export function verifiedLines(backups: readonly VerifiedBackup[]): string[] {
  return backups.flatMap(({ name, problems, objects, sizeBytes }) =>
    problems.length === 0
      ? [`✓ ${name}: ${objects} objects, ${megabytes(sizeBytes)}`]
      : [`✗ ${name}`, ...problems.slice(0, 20).map((problem) => `    ${problem}`), ...more(problems.length - 20)],
  )
}

export function prunedLines({ backups, objects, freedBytes, kept }: Pruned): string[] {
  return [
    ...backups.map((name) => `Removed ${name}`),
    `${kept} backups stay; ${objects} objects removed, ${megabytes(freedBytes)} freed`,
  ]
}

export function restoredLines(manifest: Manifest, lost: readonly LostFile[]): string[] {
  const { counts, database } = manifest
  return [
    `Restored from ${manifest.name}, written by ${manifest.version}`,
    `The database is of ${new Date(database.takenAt).toISOString()}; disks were frozen until ${new Date(manifest.endedAt).toISOString()}`,
    `${counts.people ?? 0} people, ${counts.threads ?? 0} threads`,
    ...lostLines(lost),
    ...manifest.leftOut.map(({ what, reason }) => `Not in the backup: ${what} (${reason})`),
  ]
}

export function lostLines(lost: readonly LostFile[]): string[] {
  return [...lost.slice(0, 100).map(({ path, reason }) => `Lost: ${path} (${reason})`), ...more(lost.length - 100)]
}

function more(count: number): string[] {
  return count > 0 ? [`    and ${count} more`] : []
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
