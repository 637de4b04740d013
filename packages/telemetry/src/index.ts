export { type Logger, makeLogger } from './logger.ts'
export { withoutSecrets } from './redaction.ts'
