import type { ConnectionProgram } from '@threadbox/protocol/public'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { ConnectionRow } from './connections.table.ts'
import { visibleText } from './visible-text.logic.ts'

/** What starts a program, with secrets unsealed. Must not appear in responses, logs or records. */
export type ProgramStart = {
  command: string
  args: string[]
  environment: Record<string, string>
  secrets: readonly string[]
}

type Variable = { name: string; value: string; isSecret: boolean }
export type WantedProgram = { command: string; args: string[]; environment: Variable[] }

type ProgramRow = Pick<ConnectionRow, 'program_json' | 'sealed_secret'>

/** Columns of a connection that runs this program. Values of secret variables are only in the sealed one. */
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

/** Returns null for a server at an address. */
export function programOf(row: Pick<ConnectionRow, 'program_json'>): ConnectionProgram | null {
  return row.program_json === null ? null : (JSON.parse(row.program_json) as ConnectionProgram)
}

/** Values of secret variables by name. */
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

/** Returns whether the request is for the existing program, apart from its secrets. */
export function isSameProgram(program: ConnectionProgram, wanted: Partial<WantedProgram>): boolean {
  const { command = program.command, args = program.args, environment } = wanted
  return (
    environment === undefined && command === program.command && JSON.stringify(args) === JSON.stringify(program.args)
  )
}

/** The output of a program that may explain why it exited. */
export type LastWords = {
  add(bytes: Uint8Array): void
  /** The lines as one text without secrets; a dash when there was no output. */
  text(): string
}

const maxKeptBytes = 64 * 1024
/** More bytes than a secret can have: the kept output can start in the middle of a secret. */
const maxSecretBytes = 16 * 1024
const maxLines = 12
const maxTextCharacters = 1000

export function makeLastWords(redact: (text: string) => string): LastWords {
  let pieces: Uint8Array[] = []
  let sizeBytes = 0
  let isCut = false
  const compact = () => {
    isCut ||= sizeBytes > maxKeptBytes
    const keptBytes = Buffer.concat(pieces).subarray(-maxKeptBytes)
    pieces = [keptBytes]
    sizeBytes = keptBytes.byteLength
    return keptBytes.toString('utf8')
  }
  return {
    add: (bytes) => {
      pieces.push(bytes)
      sizeBytes += bytes.byteLength
      if (sizeBytes > 2 * maxKeptBytes) compact()
    },
    text: () => {
      // Secrets are removed before anything else is cut, because a part of a secret isn't recognized.
      const text = redact(compact())
      const lines = visibleText(isCut ? text.slice(maxSecretBytes) : text)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
      return lines.slice(-maxLines).join('\n').slice(-maxTextCharacters) || '–'
    },
  }
}
