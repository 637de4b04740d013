import pino, { type DestinationStream } from 'pino'
import { removed, secretKeys } from './redaction.ts'

/** An error must be logged as `err`: pino writes message and stack only for that name, and any other as `{}`. */
type Fields<Given> = Given & ('error' extends keyof Given ? never : unknown)

type Log = {
  <Given extends object>(fields: Fields<Given>, message: string): void
  (message: string): void
}

export type Logger = Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', Log> & {
  child<Given extends object>(fields: Fields<Given>): Logger
}

/**
 * The logger of one process: one JSON object per line on standard output or to `destination`. Values of the keys in
 * `secretKeys` are replaced; write facts as fields and keep the message constant.
 */
export function makeLogger(options: { process: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: { process: options.process },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: removed },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  )
}
