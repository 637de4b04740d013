export {
  backupAlreadySetUp,
  backupDamaged,
  backupNotConfirmed,
  backupNotFound,
  backupNotSetUp,
  sealedPartLost,
} from './backups.errors.ts'
export { type Manifest, timeOfBackup } from './manifest.ts'
export { type Pruned, pruneBackups } from './prune-backups.ts'
export type { LostFile } from './read-files.ts'
export { endOf, type MachineKeys, makeIdentity, makeKeys, parseRecoveryKey, verificationKeyOf } from './recovery-key.ts'
export { restoreFiles } from './restore-files.ts'
export { defaultRetention } from './retention.logic.ts'
export { openSealed, sealFile } from './sealed-object.ts'
export { openSealedStream, removeSealedStream, type SealedStream, storeSealedStream } from './sealed-stream.ts'
export { listBackups, readIndex, readManifest } from './stored-backups.ts'
export { type VerifiedBackup, verifyBackups, verifyContent } from './verify-backups.ts'
export { type BackupFacts, type SourceFile, type WrittenBackup, writeBackup } from './write-backup.ts'
