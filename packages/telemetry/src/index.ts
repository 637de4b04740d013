export { type Logger, makeLogger } from './logger.ts'
