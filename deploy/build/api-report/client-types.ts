import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linesOf } from './protocol-schemas.ts'
import type { JsonValue } from './shapes.ts'

/** The types of the SDK as its users see them: declarations from the compiler, without comments. */
export async function sdkTypes(root: string): Promise<JsonValue> {
  const folder = await mkdtemp(join(tmpdir(), 'threadbox-types-'))
  try {
    await writeDeclarations(root, folder)
    const paths = globSync('**/*.d.ts', { cwd: folder }).sort()
    return Object.fromEntries(paths.map((path) => [path, linesOf(readFileSync(join(folder, path), 'utf8'))]))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function writeDeclarations(root: string, folder: string): Promise<void> {
  const options = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', folder]
  const project = join(root, 'packages/sdk/tsconfig.json')
  const compiler = spawn(join(root, 'node_modules/.bin/tsc'), ['-p', project, ...options], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed: Buffer[] = []
  compiler.stdout.on('data', (part: Buffer) => printed.push(part))
  const [code] = (await once(compiler, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`The types of the SDK could not be written:\n${Buffer.concat(printed)}`)
}
