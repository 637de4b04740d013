import type { LostFile, Manifest, Pruned, VerifiedBackup, WrittenBackup } from '@threadbox/backups'
import type { BackupRow } from '../installation/backups/backup-status.ts'

/** What the commands print. */
export function writtenLines({ name, files, totalBytes, storedBytes, leftOut }: WrittenBackup): string[] {
  const stored = `${megabytes(storedBytes)} stored for ${megabytes(totalBytes)} in ${files} files`
  return [`Backup ${name}: ${stored}`, ...leftOutLines(leftOut)]
}

/** What a list says about one backup, from what this machine has recorded. */
export function listedLines({ name, problems, leftOut, verifiedAt }: Omit<BackupRow, 'sizeBytes'>): string[] {
  const verified = verifiedAt === null ? 'not verified' : `verified ${new Date(verifiedAt).toISOString()}`
  const state = problems.length > 0 ? `damaged: ${problems[0]}` : verified
  return [`${name}  ${state}`, ...leftOutLines(leftOut ?? []).map((line) => `    ${line}`)]
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
    ...leftOutLines(manifest.leftOut),
  ]
}

function leftOutLines(leftOut: Manifest['leftOut']): string[] {
  return leftOut.map(({ what, reason }) => `Not in the backup: ${what} (${reason})`)
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

let printedAt = 0

/** A line for the program that started this one, at most each half second. */
export function printProgress({ files, bytes }: { files: number; bytes: number }): void {
  const at = Date.now()
  if (Math.abs(at - printedAt) < 500) return
  printedAt = at
  process.stdout.write(`progress ${files} ${bytes}\n`)
}
