export type { ErrorKind } from '@threadbox/errors'
export { type ErrorDetails, isErrorOf, isThreadboxError, ThreadboxError } from '@threadbox/errors/error'
export type * from '@threadbox/protocol/public'
export { defaultKeyScopes, keyScopes } from '@threadbox/protocol/public/key-scopes'
export { isExchangeCause, wakeCauses } from '@threadbox/protocol/public/lifecycle-codes'
export { mathMarks, withMathMarks } from '@threadbox/protocol/public/math'
export { isThreadboxFile } from '@threadbox/protocol/public/ownership'
export { previewFrameSandbox } from '@threadbox/protocol/public/preview-frame'
export { findPossibleSecrets, type PossibleSecret } from '@threadbox/protocol/public/secret-patterns'
export { maxTerminalInput, terminalCloseCodes } from '@threadbox/protocol/public/terminal-socket'
export {
  applyThreadEvent,
  outputWindowCharacters,
  type ThreadState,
  threadStateOf,
  withOlderPage,
} from '@threadbox/protocol/public/thread-state'
export { createClient, type ThreadboxClient } from './client.ts'
export type { StreamOptions, StreamStatus } from './event-stream.ts'
export type { ClientOptions, UploadBody } from './request.ts'
export type { SkillBody } from './skills.ts'
export type { UploadOptions } from './upload.ts'
