import { randomInt } from 'node:crypto'
import { changedTestFiles } from './changed-tests.ts'
import { machineLine, reasonNotToJudge, watchMachine } from './machine-load.ts'
import { limits, overLimits, type RunReport, reportLines } from './run-report.ts'
import { readArguments, type Stage, stageOf, type TestArguments } from './test-arguments.ts'
import { writeTestRecord } from './test-record.ts'
import { runStage } from './test-stage.ts'

/** `./threadbox test [STAGE…] [FILE…] [-t NAME] [--full] [--changed[=COMMIT]]`, once everything is installed. */
const args = readOrRefuse()
const seed = Number(process.env.THREADBOX_TEST_SEED ?? randomInt(1_000_000))
const environment = { THREADBOX_TEST_SEED: String(seed), ...(args.isFull ? { THREADBOX_TEST_FULL: '1' } : {}) }
const machine = watchMachine()
await machine.probe()
const report: RunReport = { stages: [], seed, isFull: args.isFull }
for (const { stage, files } of await plan(args)) {
  console.log(`\n── ${stage}`)
  report.stages.push(await runStage(stage, { files, name: args.name, environment }))
  await machine.probe()
}
const found = machine.end()
console.log(`\n${reportLines(report).join('\n')}`)
console.log(`\n${machineLine(found)}`)
const isWhole = args.stages.length === 4 && args.files.length === 0 && args.name === undefined
const isAll = isWhole && args.changedSince === undefined
const tooLong = isAll && !args.isFull ? judge() : []
if (isAll && args.isFull) console.log(`\nWrote ${writeTestRecord(report)}`)
const hasFailed = report.stages.some(({ result }) => result.failures.length > 0)
process.exitCode = hasFailed || tooLong.length > 0 ? 1 : 0

function readOrRefuse(): TestArguments {
  try {
    return readArguments(process.argv.slice(2))
  } catch (error) {
    console.error(`✗ ${error instanceof Error ? error.message : error}`)
    process.exit(2)
  }
}

/** What exceeded its time limit, if that can be judged on this machine. */
function judge(): string[] {
  const over = overLimits({ ...report, slowness: found.slowness })
  const reason = reasonNotToJudge(found)
  const rule = `Limits of ${limits.runMinutes} minutes for the run and ${limits.fileSeconds} s per file`
  if (reason !== undefined)
    console.log(`${rule}: not checked, because ${reason}.`, ...over.map((line) => `\n  ${line}`))
  else console.log(`${rule}: ${over.length === 0 ? 'met' : 'EXCEEDED'}.`, ...over.map((line) => `\n  ${line}`))
  return reason === undefined ? over : []
}

async function plan({ stages, files, changedSince }: TestArguments): Promise<{ stage: Stage; files: string[] }[]> {
  if (changedSince === undefined) {
    return stages.map((stage) => ({ stage, files: files.filter((file) => stageOf(file) === stage) }))
  }
  const changed = await changedTestFiles(changedSince)
  console.log(changed.why)
  return stages.flatMap((stage) => {
    const own = changed.files === 'all' ? [] : changed.files.filter((file) => stageOf(file) === stage)
    return stage === 'check' || changed.files === 'all' || own.length > 0 ? [{ stage, files: own }] : []
  })
}
