import type { ConnectionProgram } from '@threadbox/protocol/public'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { ConnectionRow } from './connections.table.ts'
import { visibleText } from './visible-text.models.ts'

/** What a program is started with, secrets opened. Not for any answer, log or record. */
export type ProgramStart = {
  command: string
  args: string[]
  environment: Record<string, string>
  secrets: readonly string[]
}

type Variable = { name: string; value: string; isSecret: boolean }
export type WantedProgram = { command: string; args: string[]; environment: Variable[] }

type ProgramRow = Pick<ConnectionRow, 'program_json' | 'sealed_secret'>

/** The columns of a connection that runs this program. Values of secret variables are in the sealed one only. */
export function programColumns(wanted: WantedProgram, box: SecretBox) {
  const secrets = wanted.environment.filter(({ isSecret }) => isSecret)
  const program: ConnectionProgram = {
    command: wanted.command,
    args: wanted.args,
    environment: wanted.environment.map(({ name, value, isSecret }) => {
      return { name, value: isSecret ? null : value, isSecret }
    }),
  }
  const sealed = Object.fromEntries(secrets.map(({ name, value }) => [name, value]))
  return {
    auth_kind: 'program',
    header_name: null,
    program_json: JSON.stringify(program),
    sealed_secret: secrets.length === 0 ? null : box.seal(JSON.stringify(sealed)),
  }
}

/** Null for a server at an address. */
export function programOf(row: Pick<ConnectionRow, 'program_json'>): ConnectionProgram | null {
  return row.program_json === null ? null : (JSON.parse(row.program_json) as ConnectionProgram)
}

/** Values of the secret variables, by name. */
export function programSecrets(
  { sealed_secret: sealed }: Pick<ConnectionRow, 'sealed_secret'>,
  box: SecretBox,
): Record<string, string> {
  return sealed === null ? {} : (JSON.parse(box.open(sealed)) as Record<string, string>)
}

export function programStartOf(row: ProgramRow, program: ConnectionProgram, box: SecretBox): ProgramStart {
  const secrets = programSecrets(row, box)
  const plain = program.environment.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]))
  return {
    command: program.command,
    args: program.args,
    environment: { ...Object.fromEntries(plain), ...secrets },
    secrets: Object.values(secrets),
  }
}

/** Whether the order is for the program that is there, but for its secrets. */
export function isSameProgram(program: ConnectionProgram, wanted: Partial<WantedProgram>): boolean {
  const { command = program.command, args = program.args, environment } = wanted
  return (
    environment === undefined && command === program.command && JSON.stringify(args) === JSON.stringify(program.args)
  )
}

/** Of what a program printed, what may say why it ended. */
export type LastWords = {
  hear(bytes: Uint8Array): void
  /** Lines as one text, without secrets; a dash when it said nothing. */
  text(): string
}

const maxHeardBytes = 64 * 1024
/** More bytes than a secret can have: where what was heard begins in the middle, half of one may stand there. */
const maxSecretBytes = 16 * 1024
const maxLines = 12
const maxTextCharacters = 1000

export function makeLastWords(redact: (text: string) => string): LastWords {
  let pieces: Uint8Array[] = []
  let heardBytes = 0
  let isCut = false
  const compact = () => {
    isCut ||= heardBytes > maxHeardBytes
    const heard = Buffer.concat(pieces).subarray(-maxHeardBytes)
    pieces = [heard]
    heardBytes = heard.byteLength
    return heard.toString('utf8')
  }
  return {
    hear: (bytes) => {
      pieces.push(bytes)
      heardBytes += bytes.byteLength
      if (heardBytes > 2 * maxHeardBytes) compact()
    },
    text: () => {
      // Secrets go before anything else is cut, because half of one is not known as one.
      const text = redact(compact())
      const lines = visibleText(isCut ? text.slice(maxSecretBytes) : text)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
      return lines.slice(-maxLines).join('\n').slice(-maxTextCharacters) || '–'
    },
  }
}
