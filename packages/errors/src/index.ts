export { withKnownCause } from './disk-full.ts'
export { type ErrorKind, errorKinds } from './kinds.ts'
export {
  defineError,
  type ErrorDefinition,
  type ErrorDetails,
  exitCodeOf,
  httpStatusOf,
  isErrorOf,
  isThreadboxError,
  ThreadboxError,
} from './threadbox-error.ts'
export { fromWireError, toWireError, type WireError, wireErrorSchema } from './wire.ts'
