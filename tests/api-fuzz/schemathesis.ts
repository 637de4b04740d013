import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ApiUnderTest, type Sender, startApiUnderTest } from './api-under-test.ts'

/**
 * What is sent, which is the same for the same seed: `examples` random requests per route, and with `isWide` also each
 * limit and each violation of the document.
 */
export type ApiFuzz = { sender: Sender; seed: number; examples: number; isWide?: boolean; routes?: readonly string[] }

export type ApiFuzzResult = {
  isPassed: boolean
  output: string
  /** Routes with a failure, such as `GET /threads`. */
  failed: string[]
  /** For each route, how many responses had which status. */
  statuses: Record<string, Record<string, number>>
  /** For each place where a request names an object: the response for another person’s, and for a missing one. */
  compared: Record<string, [unknown[], unknown[]]>
}

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'others_are_missing',
]
const longestResponseSeconds = 10

/** Sends random requests to the routes of the document. Without `given`, of an installation of their own. */
export async function fuzzApi(fuzz: ApiFuzz, given?: Pick<ApiUnderTest, 'url' | 'objects'>): Promise<ApiFuzzResult> {
  await using cleanup = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'threadbox-api-fuzz-'))
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const api = given ?? cleanup.use(await startApiUnderTest(fuzz.sender))
  const [objects, report] = [join(folder, 'objects.json'), join(folder, 'report.json')]
  await writeFile(objects, JSON.stringify(api.objects))
  const child = spawn(program(), argumentsOf(fuzz, `${api.url}/api/v1/openapi.json`), {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      LC_ALL: 'C.UTF-8',
      COLUMNS: '200',
      NO_PROXY: '127.0.0.1',
      SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'hooks.py'),
      THREADBOX_API_OBJECTS: objects,
      THREADBOX_API_REPORT: report,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  cleanup.defer(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit') as Promise<[number | null]>
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const found = JSON.parse(await readFile(report, 'utf8').catch(() => '{}')) as Partial<ApiFuzzResult>
  return {
    isPassed: exitCode === 0,
    output: output + errors,
    failed: [...output.matchAll(/^_+ ([A-Z]+ \/\S+) _+$/gm)].map(([, route = '']) => route),
    statuses: found.statuses ?? {},
    compared: found.compared ?? {},
  }
}

function argumentsOf({ seed, examples, isWide = false, routes = [] }: ApiFuzz, document: string): string[] {
  return [
    'run',
    document,
    '--no-color',
    '--continue-on-failure',
    '--warnings=off',
    `--checks=${checks.join(',')}`,
    `--phases=${isWide ? 'coverage,fuzzing' : 'fuzzing'}`,
    `--seed=${seed}`,
    `--max-examples=${examples}`,
    `--max-response-time=${longestResponseSeconds}`,
    `--request-timeout=${2 * longestResponseSeconds}`,
    '--generation-database=none',
    // Credentials are the sender’s; other tests have those that are wrong.
    '--generation-with-security-parameters=false',
    '--suppress-health-check=all',
    '--no-shrink',
    ...routes.map((route) => `--include-name=${route}`),
  ]
}

function program(): string {
  const path = process.env.THREADBOX_SCHEMATHESIS
  if (path === undefined) throw new Error('THREADBOX_SCHEMATHESIS is not set: run ./threadbox test system FILE')
  return path
}
