import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'

export type Logger = PinoLogger

/** Keys whose values never reach a log, at any depth that our own objects have. */
const secretKeys = ['password', 'apiKey', 'accessToken', 'token', 'secret', 'cookie', 'authorization', 'masterKey']

/**
 * The logger of one process: one JSON object per line on standard output, or wherever `destination` says. Values under
 * the names in `secretKeys` are replaced; write facts as fields and keep the message constant.
 */
export function makeLogger(options: { process: string; level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      base: { process: options.process },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[removed]' },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  )
}
